// Gets hold of threads: takes the lock, reads the files, opens the log at its end.

import { rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { DamagedError, ThreadExistsError, ThreadLockedError } from '../../core/errors.ts'
import type { NewThread } from '../../core/store.ts'
import { planCreate } from '../commit-plan.ts'
import { isAtRest, stateOf } from '../thread-state.ts'
import { newLog, reopenThread } from './compaction.ts'
import { HeldThread } from './held-thread.ts'
import { FORMAT } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import type { Lock } from './lock.ts'
import type { LogWriter } from './log-writer.ts'
import { openLog } from './log-writer.ts'
import { assertOwnFolder } from './own-file.ts'
import { writeErrorOf } from './store-error.ts'
import { nowOf, type Surroundings } from './surroundings.ts'
import { readThread, type StoredFile } from './thread-reader.ts'

/** For whom a thread is held. */
export interface Taker {
  readonly owner: string
  readonly since?: string
  readonly steal?: boolean
}

type LockTaker = Taker & { readonly threadId: string }

const CREATION_WAIT_MS = 10_000
const CREATION_PAUSE_MS = 5

/** Takes a thread's lock. @throws ThreadLockedError, StoreWriteError */
export function lockThread(around: Surroundings, files: ThreadFiles, taker: LockTaker): Lock {
  return around.locks.take({
    path: files.lock,
    threadId: taker.threadId,
    owner: taker.owner,
    since: taker.since ?? nowOf(around),
    steal: taker.steal ?? false,
  })
}

/**
 * Takes a thread as it is; undefined when there is none.
 * @throws ThreadLockedError, DamagedError, NewerFormatError, StoreWriteError
 */
export async function holdThread(
  around: Surroundings,
  files: ThreadFiles,
  taker: LockTaker,
): Promise<HeldThread | undefined> {
  const lock = lockThread(around, files, taker)
  try {
    const found = await readThread(files, around.disk, { withInbox: false })
    if (found === undefined) {
      lock.release()
      return undefined
    }
    assertSameThread(files, found, taker.threadId)
    assertOwnFolder(files.history)
    if (taker.steal === true) freeMutex(around, files, taker)
    const log = await logOf(around, files, found)
    const { state, document } = found
    const documentBytes = document?.size ?? 0
    const { owner } = taker
    return new HeldThread(around, {
      files,
      state,
      log,
      lock,
      owner,
      documentBytes,
      isClaimed: false,
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Makes a thread and holds it. @throws ThreadExistsError, StoreWriteError, HexagonError E2108 */
export async function holdNewThread(
  around: Surroundings,
  files: ThreadFiles,
  thread: NewThread,
): Promise<HeldThread> {
  const { maxInlineBytes, disk } = around
  const change = planCreate(thread, { at: nowOf(around), maxInlineBytes })
  const owner = thread.claim?.owner ?? 'creator'
  const lock = await lockForCreation(around, files, thread)
  try {
    await assertNew(around, files, thread.id)
    removeLeftovers(files)
    const header = { format: FORMAT, id: thread.id, from: 0, events: 0, version: 0 }
    const log = await newLog(files, disk, { header, first: change })
    const state = stateOf(change)
    const isClaimed = thread.claim !== undefined
    const held = new HeldThread(around, {
      files,
      state,
      log,
      lock,
      owner,
      documentBytes: 0,
      isClaimed,
    })
    if (isAtRest(state.status)) await held.settle()
    return held
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Two ids with one file name don't happen by chance: the file was renamed or copied by hand. */
export function assertSameThread(files: ThreadFiles, found: StoredFile, threadId: string): void {
  const { id } = found.state
  if (id === threadId) return
  throw new DamagedError(files.document, `belongs to thread ${JSON.stringify(id)}`)
}

/** True when any file of the thread is there; cheap. */
export function mayExist(files: ThreadFiles): boolean {
  return [files.document, files.log, files.done].some(
    (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
  )
}

/** Of several that create one thread only the first gets the lock; the others wait until it is there. */
async function lockForCreation(
  around: Surroundings,
  files: ThreadFiles,
  thread: NewThread,
): Promise<Lock> {
  const { id, claim } = thread
  const end = performance.now() + CREATION_WAIT_MS
  for (;;) {
    try {
      const taker = { threadId: id, owner: claim?.owner ?? 'creator' }
      return lockThread(around, files, claim ? { ...taker, since: claim.holder.since } : taker)
    } catch (error) {
      if (!(error instanceof ThreadLockedError) || performance.now() > end) throw error
      await assertNew(around, files, id)
      await sleep(CREATION_PAUSE_MS)
    }
  }
}

async function assertNew({ disk }: Surroundings, files: ThreadFiles, id: string): Promise<void> {
  if (!mayExist(files)) return
  const found = await readThread(files, disk).catch(() => 'damaged' as const)
  if (found !== undefined) {
    throw new ThreadExistsError(id, found === 'damaged' ? found : found.state.status)
  }
}

/** What a thread of the same name may have left when its deletion was cut off. */
function removeLeftovers(files: ThreadFiles): void {
  try {
    for (const path of [files.inbox, files.waiting, files.history]) {
      rmSync(path, { recursive: true, force: true })
    }
  } catch (error) {
    throw writeErrorOf(files.history, error)
  }
}

/** A mutex left by a process of another host or boot goes with the lock that is taken from it. */
function freeMutex(around: Surroundings, files: ThreadFiles, taker: LockTaker): void {
  const { threadId, owner } = taker
  const request = { path: files.mutex, threadId, owner, since: nowOf(around), steal: true }
  try {
    around.locks.take(request).release()
  } catch (error) {
    // Somebody here is answering, and will be done in a moment.
    if (!(error instanceof ThreadLockedError)) throw error
  }
}

async function logOf(
  around: Surroundings,
  files: ThreadFiles,
  { log, state, through }: StoredFile,
): Promise<LogWriter> {
  if (log === undefined) return reopenThread(files, around.disk, { state, through })
  const { header, wholeBytes } = log
  return openLog(around.disk, files.log, { header, wholeBytes, through: log.through })
}
