import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Disk } from './disk.ts'

/** Gives a file new content: whole and durable, or not at all. @throws StoreWriteError */
export async function replaceFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temp = await disk.writeTemp(path, bytes)
  try {
    temp.replace(path)
  } catch (error) {
    temp.unlink()
    throw error
  } finally {
    temp.close()
  }
  await disk.syncFolder(dirname(path))
}
