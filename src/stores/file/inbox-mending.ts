import { readInbox } from './inbox.ts'
import { keepCopy } from './kept-copy.ts'
import { changeOf, lineOf } from './log-record.ts'
import { replaceFile } from './replacement.ts'
import { salvageLog } from './salvaged-log.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage } from './thread-reader.ts'

/** Keeps the whole batches of a damaged inbox. Only under the mutex. @throws StoreWriteError */
export async function mendInbox(around: Surroundings, path: string): Promise<void> {
  await keepCopy(around, path)
  const lines = (salvageLog(path)?.records ?? []).map((line) => lineOf(line.number, changeOf(line)))
  await replaceFile(around.disk, path, Buffer.concat(lines))
}

/** True when batches are there that don't check. */
export function isDamagedInbox(path: string): boolean {
  try {
    readInbox(path)
    return false
  } catch (error) {
    if (!isDamage(error)) throw error
    return true
  }
}
