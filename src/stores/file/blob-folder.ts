import { mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { DamagedError } from '../../core/errors.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed } from '../sealed/cipher.ts'
import type { Disk } from './disk.ts'
import { assertOwnFolder, readOwn } from './own-file.ts'

const HASH = /^[0-9a-f]{64}$/

/** Keeps bytes once, under their hash; gives the hash. @throws StoreWriteError */
export async function putBlob(folder: string, disk: Disk, bytes: Uint8Array): Promise<string> {
  const hash = hashOf(bytes)
  const path = pathOf(folder, hash)
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return hash
  assertOwnFolder(dirname(path))
  const isNew = mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) !== undefined
  const temp = await disk.writeTemp(path, bytes)
  temp.replace(path)
  temp.close()
  await disk.syncFolder(dirname(path))
  if (isNew) await disk.syncFolder(folder)
  return hash
}

/** The bytes with this hash. @throws DamagedError */
export function getBlob(folder: string, hash: string): Uint8Array | undefined {
  if (!HASH.test(hash)) return undefined
  const path = pathOf(folder, hash)
  assertOwnFolder(dirname(path))
  const bytes = readOwn(path)
  if (bytes === undefined) return undefined
  // What is sealed is checked by who has the key.
  if (hashOf(bytes) !== hash && !isSealed(bytes))
    throw new DamagedError(path, 'is not what its name says')
  return new Uint8Array(bytes)
}

function pathOf(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash)
}
