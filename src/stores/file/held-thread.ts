// A thread while this process holds it: its state in memory, its log open at the end.
//
// Invariants:
//   1. A change is appended to the log and carried out on the state in one go, without a break between.
//   2. Whatever depends on what others may answer meanwhile is decided under the mutex, after the inbox.
//   3. The log is replaced and moved only inside `#exclusively`, with nothing appended in between.

import { StaleFenceError, StoreWriteError } from '../../core/errors.ts'
import type { Claimant, Claimed, Commit, Committed } from '../../core/store.ts'
import type { Change, CommitChange, CreateChange, GivenAnswer } from '../change.ts'
import { planCommit, statusAfterRelease } from '../commit-plan.ts'
import { applyChange, isAtRest, isClosed, storedOf, type ThreadState } from '../thread-state.ts'
import { recordAnswers } from './audit-log.ts'
import { closeThread, foldLog, reopenThread, rotateLog, type Folding } from './compaction.ts'
import { hasInbox, newsOf, readInbox, removeInbox } from './inbox.ts'
import type { ThreadFiles } from './layout.ts'
import { leaseIn, readOwner } from './lock-owner.ts'
import type { Lock } from './lock.ts'
import type { LogWriter } from './log-writer.ts'
import { nowOf, type Surroundings } from './surroundings.ts'
import { writeDescriptor } from './waiting.ts'

/** What holding a thread takes. */
export interface Holding {
  readonly files: ThreadFiles
  readonly state: ThreadState
  readonly log: LogWriter
  readonly lock: Lock
  readonly owner: string
  /** Length of the document, 0 when there is none. */
  readonly documentBytes: number
  /** True when it was made by its holder. */
  readonly isClaimed: boolean
}

/** A log shorter than this is never worth a new document while the thread runs. */
const SMALL_LOG_BYTES = 1024 * 1024

export class HeldThread {
  readonly owner: string
  readonly #around: Surroundings
  readonly #files: ThreadFiles
  readonly #state: ThreadState
  readonly #lock: Lock
  #log: LogWriter
  #documentBytes: number
  /** Length of the log when it was last folded. */
  #foldedBytes: number
  #untold: GivenAnswer[] = []
  /** False for an edit: who makes it was told of no answer. */
  #isClaimed: boolean
  #tail: Promise<void> | undefined
  #place: 'open' | 'closed' | 'given-up' = 'open'

  constructor(around: Surroundings, holding: Holding) {
    this.#around = around
    this.#files = holding.files
    this.#state = holding.state
    this.#log = holding.log
    this.#lock = holding.lock
    this.owner = holding.owner
    this.#documentBytes = holding.documentBytes
    this.#foldedBytes = 0
    this.#isClaimed = holding.isClaimed
  }

  get fence(): number {
    return this.#state.fence
  }

  /** The state as it is now; it goes on changing. */
  get state(): Readonly<ThreadState> {
    return this.#state
  }

  /** False when somebody else has taken the thread, or it was given up. */
  isHeld(): boolean {
    return this.#place !== 'given-up' && this.#lock.isHeld()
  }

  /** Takes the thread: in answers that lie in the inbox, and the next fence. */
  async claim({ owner, holder }: Claimant): Promise<Claimed> {
    await this.withInbox()
    const fence = this.#state.fence + 1
    this.#write({ kind: 'claim', at: nowOf(this.#around), owner, holder, fence })
    this.#untold = []
    this.#isClaimed = true
    return this.snapshot()
  }

  /** The state with the answers that lie in the inbox. */
  async withInbox(): Promise<Readonly<ThreadState>> {
    if (hasInbox(this.#files.inbox)) await this.#underMutex(() => this.#takeInbox())
    return this.#state
  }

  /** Everything the holder needs to go on. */
  snapshot(): Claimed {
    const by = readOwner(this.#files.lock)
    return { ...storedOf(this.#state, by && leaseIn(by)), fence: this.#state.fence }
  }

  /** Writes a batch; durable when it resolves. */
  async commit(batch: Commit): Promise<Committed> {
    const change = await this.#commit(batch)
    if (isAtRest(change.status) || this.#isOutgrown()) await this.settle()
    if (batch.release === true) this.giveUp()
    return { version: change.version, status: change.status }
  }

  /** Answers the holder was not told of yet. */
  async takeAnswers(): Promise<readonly GivenAnswer[]> {
    if (hasInbox(this.#files.inbox)) {
      await this.#exclusively(() => this.#underMutex(() => this.#takeInbox()))
    }
    const answers = this.#untold
    this.#untold = []
    return answers
  }

  /**
   * Gives the thread back without a commit. When that can't be written, it is given back all the same: it is
   * then as if this process had crashed, and whoever claims it next goes on.
   */
  async release(runAfter: string | undefined): Promise<void> {
    try {
      // A thread that has ended lies where it belongs already.
      if (this.#place === 'closed' && runAfter === undefined) return
      await this.#exclusively(() => this.#underMutex(() => this.#writeRelease(runAfter)))
      if (isClosed(this.#state.status)) await this.settle()
      else writeDescriptor(this.#files, this.#state)
    } catch (error) {
      if (!(error instanceof StoreWriteError)) throw error
    } finally {
      this.giveUp()
    }
  }

  /** Brings the document up to date and puts the files where they belong. What fails is made up for later. */
  async settle(): Promise<void> {
    await this.#exclusively(async () => {
      if (this.#place !== 'open') return
      try {
        await this.#fold()
      } catch {
        // The log has everything; only the next fold has more to do.
        this.#foldedBytes = this.#log.size
      }
    })
  }

  /** Stops holding the thread, whatever its state. */
  giveUp(): void {
    if (this.#place === 'given-up') return
    if (this.#place === 'open') this.#log.close()
    this.#place = 'given-up'
    this.#lock.release()
  }

  async #writeRelease(runAfter: string | undefined): Promise<void> {
    await this.#reopen()
    await this.#takeInbox()
    const status = statusAfterRelease(this.#state, { runAfter, untold: this.#untoldIds() })
    this.#write({ kind: 'release', at: nowOf(this.#around), status, runAfter })
  }

  async #commit(batch: Commit): Promise<CommitChange> {
    if (this.#tail === undefined && this.#place === 'open' && !this.#concernsOthers(batch)) {
      return this.#commitAlone(batch)
    }
    return this.#exclusively(async () => {
      await this.#reopen()
      if (!this.#concernsOthers(batch)) return this.#commitAlone(batch)
      return this.#underMutex(async () => {
        await this.#takeInbox()
        return this.#commitAlone(batch)
      })
    })
  }

  async #commitAlone(batch: Commit): Promise<CommitChange> {
    const change = planCommit(this.#state, batch, {
      at: nowOf(this.#around),
      untold: this.#isClaimed ? this.#untoldIds() : 'every',
      maxInlineBytes: this.#around.maxInlineBytes,
    })
    const { answer: answers, open: opened } = change
    // Without an answer nothing is awaited here.
    if (answers !== undefined) await recordAnswers(this.#around, this.#state, { answers, opened })
    this.#write(change)
    await this.#log.synced()
    return change
  }

  /** True when an answer from outside would make a difference to what a batch does. */
  #concernsOthers(batch: Commit): boolean {
    if (batch.status !== 'running' || batch.release === true) return true
    const closes = [batch.answer, batch.cancel, batch.expire].some(
      (list) => (list?.length ?? 0) > 0,
    )
    return closes || (batch.open ?? []).some(({ id }) => this.#state.interrupts.has(id))
  }

  #write(change: Exclude<Change, CreateChange>): void {
    if (!this.isHeld()) throw new StaleFenceError(this.#state.id)
    this.#log.append(change)
    applyChange(this.#state, change)
  }

  /** Moves what lies in the inbox into the log; only under the mutex. */
  async #takeInbox(): Promise<void> {
    const { inbox } = this.#files
    if (!hasInbox(inbox)) return
    const news = newsOf(this.#state, readInbox(inbox))
    if (news !== undefined) {
      this.#write(news)
      this.#untold.push(...news.answers)
    }
    await this.#log.synced()
    removeInbox(inbox)
  }

  #untoldIds(): readonly string[] {
    return this.#untold.map(({ id }) => id)
  }

  #isOutgrown(): boolean {
    const grown = this.#log.size - this.#foldedBytes
    return grown > Math.max(SMALL_LOG_BYTES, this.#documentBytes)
  }

  async #fold(): Promise<void> {
    const { disk } = this.#around
    const folding: Folding = { files: this.#files, disk, state: this.#state, log: this.#log }
    const isFull = this.#log.size > Math.max(SMALL_LOG_BYTES, this.#documentBytes)
    this.#documentBytes = await foldLog(folding)
    this.#foldedBytes = this.#log.size
    if (isClosed(this.#state.status)) {
      this.#place = 'closed'
      closeThread(folding)
      return
    }
    if (isFull) {
      this.#log = await rotateLog(folding)
      this.#foldedBytes = this.#log.size
    }
    if (isAtRest(this.#state.status)) writeDescriptor(this.#files, this.#state)
  }

  async #reopen(): Promise<void> {
    if (this.#place !== 'closed') return
    const { through } = this.#log
    const { disk } = this.#around
    this.#log = await reopenThread(this.#files, disk, {
      state: this.#state,
      through,
      former: this.#log.header.from,
    })
    this.#foldedBytes = this.#log.size
    this.#place = 'open'
  }

  /** Runs one act after the other; what comes while one runs waits for it. */
  async #exclusively<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#tail
    const result = (before ?? Promise.resolve()).then(act)
    const own = result.then(ignore, ignore)
    this.#tail = own
    try {
      return await result
    } finally {
      if (this.#tail === own) this.#tail = undefined
    }
  }

  async #underMutex<T>(act: () => Promise<T>): Promise<T> {
    const { locks } = this.#around
    const mutex = await locks.takeMutex(this.#files.mutex, this.#state.id, nowOf(this.#around))
    try {
      return await act()
    } finally {
      mutex.release()
    }
  }
}

function ignore(): void {
  // Whoever waits for its turn doesn't care how the one before ended.
}
