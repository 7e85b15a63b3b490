import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { DamagedError } from '../../core/errors.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed } from '../sealed/cipher.ts'
import type { Disk } from './disk.ts'
import { unlessMissing } from './store-error.ts'

const HASH = /^[0-9a-f]{64}$/

/** Keeps bytes once, under their hash; gives the hash. @throws StoreWriteError */
export async function putBlob(folder: string, disk: Disk, bytes: Uint8Array): Promise<string> {
  const hash = hashOf(bytes)
  const path = pathOf(folder, hash)
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return hash
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
  const bytes = unlessMissing(() => readFileSync(path))
  if (bytes === undefined) return undefined
  // What is sealed is checked by who has the key.
  if (hashOf(bytes) !== hash && !isSealed(bytes))
    throw new DamagedError(path, 'is not what its name says')
  return new Uint8Array(bytes)
}

function pathOf(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash)
}
