import { lockThread } from './holding.ts'
import type { ThreadFiles } from './layout.ts'
import { nowOf, type Surroundings } from './surroundings.ts'

/**
 * Runs an act while nobody runs a thread and nobody answers it.
 * @throws ThreadLockedError, StoreWriteError
 */
export async function underLock<T>(
  around: Surroundings,
  files: ThreadFiles,
  { threadId, owner, act }: { threadId: string; owner: string; act: () => Promise<T> },
): Promise<T> {
  const lock = lockThread(around, files, { threadId, owner })
  try {
    const mutex = await around.locks.takeMutex(files.mutex, threadId, nowOf(around))
    try {
      return await act()
    } finally {
      mutex.release()
    }
  } finally {
    lock.release()
  }
}
