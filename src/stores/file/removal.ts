import { rmSync, unlinkSync } from 'node:fs'

import { lockThread, mayExist } from './holding.ts'
import type { ThreadFiles } from './layout.ts'
import { unlessMissing, writeErrorOf } from './store-error.ts'
import { nowOf, type Surroundings } from './surroundings.ts'

/** Deletes every file of a thread, also a damaged one; false when there was none. @throws ThreadLockedError, StoreWriteError */
export async function removeThread(
  around: Surroundings,
  files: ThreadFiles,
  threadId: string,
): Promise<boolean> {
  if (!mayExist(files)) return false
  const lock = lockThread(around, files, { threadId, owner: 'delete' })
  const mutex = await around.locks
    .takeMutex(files.mutex, threadId, nowOf(around))
    .catch((error) => {
      lock.release()
      throw error
    })
  try {
    const existed = mayExist(files)
    // The log goes first: what a crash leaves then is the thread as its document has it, not half of it.
    const parts = [files.waiting, files.inbox, files.log, files.document, files.done]
    for (const path of parts) unlessMissing(() => unlinkSync(path))
    await around.disk.syncFolder(around.layout.threads)
    await around.disk.syncFolder(around.layout.done)
    rmSync(files.history, { recursive: true, force: true })
    return existed
  } catch (error) {
    throw writeErrorOf(files.document, error)
  } finally {
    mutex.release()
    lock.release()
  }
}
