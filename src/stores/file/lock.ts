// A lock is a file that appears whole or not at all (written aside, then linked to its name), and names
// the process that made it. It ends when that process removes it, or when somebody finds the process gone.
//
// Invariants:
//   1. There is no moment without the lock while it changes hands: a dead one is replaced by rename.
//   2. A dead lock is replaced by one process only: the one that made the file `<lock>.<nonce of the dead>`,
//      which then becomes the lock.
//      That right itself can be left behind by a process that died; then it is broken the same way.
//   3. A live or foreign owner is never removed, unless a person demands it for a foreign one.

import { renameSync, statSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { StoreWriteError, ThreadLockedError } from '../../core/errors.ts'
import type { Disk, TempFile } from './disk.ts'
import { holderOf, newOwner, ownerLiveness, readOwner, type LockOwner } from './lock-owner.ts'
import { codeOf, unlessMissing } from './store-error.ts'

/** Whose lock it is to be. */
export interface LockRequest {
  readonly path: string
  readonly threadId: string
  readonly owner: string
  readonly since: string
  /** Takes it from a foreign owner too. */
  readonly steal: boolean
}

type Attempt =
  | { readonly kind: 'taken'; readonly lock: Lock }
  | { readonly kind: 'held'; readonly by: LockOwner }
  | { readonly kind: 'again' }

const TRIES = 200
const LONGEST_PAUSE_MS = 20
const MUTEX_WAIT_MS = 10_000

/** A lock this process holds. */
export class Lock {
  readonly #path: string
  readonly #disk: Disk
  readonly #ino: number
  readonly #mtimeMs: number

  constructor(path: string, disk: Disk) {
    const { ino, mtimeMs } = statSync(path)
    this.#path = path
    this.#disk = disk
    this.#ino = ino
    this.#mtimeMs = mtimeMs
  }

  /** False when the file was removed or replaced by somebody else. */
  isHeld(): boolean {
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    return stats?.ino === this.#ino && stats.mtimeMs === this.#mtimeMs
  }

  /** Gives the lock up, if it is still ours. */
  release(): void {
    if (!this.isHeld()) return
    this.#disk.at('lease:remove')
    unlessMissing(() => unlinkSync(this.#path))
    this.#disk.at('lease:removed')
  }
}

/** Takes locks for one store. */
export class Locks {
  readonly #disk: Disk
  /** What this store's mutexes say; made once, since a new file costs more than all the rest. */
  #mutexOwner: TempFile | undefined

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Takes a lock at once. @throws ThreadLockedError, StoreWriteError */
  take({ path, threadId, owner, since, steal }: LockRequest): Lock {
    const temp = this.#ownerFile(path, owner, since)
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const attempt = this.#attempt(path, temp, steal)
        if (attempt.kind === 'taken') return attempt.lock
        if (attempt.kind === 'held') throw new ThreadLockedError(threadId, holderOf(attempt.by))
      }
    } finally {
      temp.unlink()
    }
    throw new Error(`unreachable: ${path} is neither free nor held`)
  }

  /** Takes a lock that is only ever held for a moment, waiting for it. @throws ThreadLockedError, StoreWriteError */
  async takeMutex(path: string, threadId: string, since: string): Promise<Lock> {
    const end = performance.now() + MUTEX_WAIT_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const attempt = this.#attemptMutex(path, since)
      if (attempt.kind === 'taken') return attempt.lock
      if (attempt.kind === 'held' && performance.now() > end) {
        throw new ThreadLockedError(threadId, holderOf(attempt.by))
      }
      // Uneven pauses: processes that wait together don't come back together.
      await sleep(pause * (0.5 + Math.random()))
    }
  }

  /** Removes what the mutexes were made of. */
  close(): void {
    this.#mutexOwner?.unlink()
    this.#mutexOwner = undefined
  }

  #attemptMutex(path: string, since: string): Attempt {
    this.#mutexOwner ??= this.#ownerFile(path, 'mutex', since)
    try {
      return this.#attempt(path, this.#mutexOwner, false)
    } catch (error) {
      // Somebody cleaned up and took it for abandoned.
      this.close()
      if (error instanceof StoreWriteError && codeOf(error.cause) === 'ENOENT')
        return { kind: 'again' }
      throw error
    }
  }

  #ownerFile(path: string, owner: string, since: string): TempFile {
    const text = `${JSON.stringify(newOwner(owner, since))}\n`
    const temp = this.#disk.writeFleeting(path, Buffer.from(text))
    temp.close()
    return temp
  }

  #attempt(path: string, temp: TempFile, steal: boolean): Attempt {
    this.#disk.at('lease:place')
    const isFree = temp.claim(path)
    this.#disk.at('lease:placed')
    if (isFree) return { kind: 'taken', lock: new Lock(path, this.#disk) }
    const holder = readOwner(path)
    if (holder === undefined) return { kind: 'again' }
    if (!mayReplace(holder, steal)) return { kind: 'held', by: holder }
    return this.#replaceDead(path, temp, holder)
  }

  /** Replaces a dead owner's lock, if this process gets the right to (invariant 2). */
  #replaceDead(path: string, temp: TempFile, dead: LockOwner): Attempt {
    const leftBehind: string[] = []
    let right = rightTo(path, dead)
    while (!temp.claim(right)) {
      const rival = readOwner(right)
      if (rival === undefined) return { kind: 'again' }
      if (ownerLiveness(rival) !== 'gone') return { kind: 'held', by: rival }
      leftBehind.push(right)
      right = rightTo(path, rival)
    }
    const isStillDead = readOwner(path)?.nonce === dead.nonce
    if (isStillDead) renameSync(right, path)
    else leftBehind.push(right)
    for (const file of leftBehind) unlessMissing(() => unlinkSync(file))
    return isStillDead ? { kind: 'taken', lock: new Lock(path, this.#disk) } : { kind: 'again' }
  }
}

function rightTo(path: string, { nonce }: LockOwner): string {
  return `${path}.${nonce}`
}

function mayReplace(holder: LockOwner, steal: boolean): boolean {
  const liveness = ownerLiveness(holder)
  return liveness === 'gone' || (steal && liveness === 'foreign')
}
