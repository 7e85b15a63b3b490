// A lock is a file that appears whole or not at all (written aside, then linked to its name), and names
// the process that made it. It ends when that process removes it, or when somebody finds the process gone.
//
// Invariants:
//   1. There is no moment without the lock while it changes hands: a dead one is replaced by rename.
//   2. A dead lock is replaced by one process only: the one that made the file `<lock>.<nonce of the dead>`.
//      That right itself can be left behind by a process that died; then it is broken the same way.
//   3. A live or foreign owner is never removed, unless a person demands it for a foreign one.

import { statSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { ThreadLockedError } from '../../core/errors.ts'
import type { Disk, TempFile } from './disk.ts'
import { holderOf, newOwner, ownerLiveness, readOwner, type LockOwner } from './lock-owner.ts'
import { unlessMissing } from './store-error.ts'

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

/** Takes a lock at once. @throws ThreadLockedError, StoreWriteError */
export function takeLock(disk: Disk, request: LockRequest): Lock {
  for (let tries = 0; tries < TRIES; tries++) {
    const attempt = attemptLock(disk, request)
    if (attempt.kind === 'taken') return attempt.lock
    if (attempt.kind === 'held') throw new ThreadLockedError(request.threadId, holderOf(attempt.by))
  }
  throw new Error(`unreachable: ${request.path} is neither free nor held`)
}

/** Takes a lock that is only ever held for a moment, waiting for it. @throws ThreadLockedError, StoreWriteError */
export async function awaitLock(disk: Disk, request: LockRequest, waitMs: number): Promise<Lock> {
  const end = performance.now() + waitMs
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const attempt = attemptLock(disk, request)
    if (attempt.kind === 'taken') return attempt.lock
    if (attempt.kind === 'held' && performance.now() > end) {
      throw new ThreadLockedError(request.threadId, holderOf(attempt.by))
    }
    // Uneven pauses: processes that wait together don't come back together.
    await sleep(pause * (0.5 + Math.random()))
  }
}

function attemptLock(disk: Disk, request: LockRequest): Attempt {
  const { path } = request
  const own = newOwner(request.owner, request.since)
  const temp = disk.writeFleeting(path, Buffer.from(`${JSON.stringify(own)}\n`))
  try {
    disk.at('lease:place')
    if (temp.claim(path)) return { kind: 'taken', lock: new Lock(path, disk) }
    const holder = readOwner(path)
    if (holder === undefined) return { kind: 'again' }
    if (!mayReplace(holder, request.steal)) return { kind: 'held', by: holder }
    return replaceDead(disk, { path, temp, dead: holder })
  } finally {
    temp.discard()
    disk.at('lease:placed')
  }
}

function mayReplace(holder: LockOwner, steal: boolean): boolean {
  const liveness = ownerLiveness(holder)
  return liveness === 'gone' || (steal && liveness === 'foreign')
}

/** Replaces a dead owner's lock, if this process gets the right to (invariant 2). */
function replaceDead(
  disk: Disk,
  { path, temp, dead }: { path: string; temp: TempFile; dead: LockOwner },
): Attempt {
  const leftBehind: string[] = []
  for (let { nonce } = dead; ;) {
    const right = `${path}.${nonce}`
    if (temp.claim(right)) {
      leftBehind.push(right)
      break
    }
    const rival = readOwner(right)
    if (rival === undefined) return { kind: 'again' }
    if (ownerLiveness(rival) !== 'gone') return { kind: 'held', by: rival }
    leftBehind.push(right)
    nonce = rival.nonce
  }
  const isStillDead = readOwner(path)?.nonce === dead.nonce
  if (isStillDead) temp.replace(path)
  for (const right of leftBehind) unlessMissing(() => unlinkSync(right))
  return isStillDead ? { kind: 'taken', lock: new Lock(path, disk) } : { kind: 'again' }
}
