// The whole store contract in one process. A thread is kept as its state and the list of its
// changes; every call runs to its end without a break, so there is nothing to lock.
//
// Invariants:
//   1. `changes` begins with the creation, or behind `base` once older ones were pruned; its fold is `state`.
//   2. Only the lease with the thread's fence writes. A lease whose time is over stays in force
//      until somebody else claims.

import type { Clock } from '../core/clock.ts'
import {
  StaleFenceError,
  ThreadExistsError,
  ThreadLockedError,
  UnknownThreadError,
} from '../core/errors.ts'
import type {
  AnswerRequest,
  CheckpointInfo,
  Claimant,
  Claimed,
  Commit,
  Committed,
  Lease,
  NewThread,
  Page,
  PendingQuery,
  PendingThread,
  Pruned,
  Store,
  StoreCapabilities,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadQuery,
} from '../core/store.ts'
import { planAnswer } from './answer-plan.ts'
import { checkpointsOf, cutOf, eventsOf, fold, foldUntil, ORIGIN } from './change-history.ts'
import type { Change, GivenAnswer } from './change.ts'
import { planCommit, planCreate, statusAfterRelease } from './commit-plan.ts'
import { MemoryBlobs } from './memory-blobs.ts'
import { untilText, type HeldLease } from './memory-lease.ts'
import { nearIds } from './near-ids.ts'
import { keysAfter, pageOf } from './page.ts'
import { assertThreadId } from './thread-id.ts'
import {
  applyChange,
  cloneState,
  headOf,
  isClosed,
  openOf,
  stateOf,
  storedOf,
  type ThreadState,
} from './thread-state.ts'
import { Waiters } from './waiters.ts'

/** What may be set of a {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Decides when leases end; the system's clock when absent. */
  readonly clock?: Clock
  /** A longer record is refused; 64 MiB when absent. */
  readonly maxInlineBytes?: number
}

interface Thread {
  readonly state: ThreadState
  changes: Change[]
  /** What the thread was before its first change that is kept. */
  base: ThreadState | undefined
  lease: HeldLease | undefined
}

const DEFAULT_MAX_INLINE_BYTES = 64 * 1024 * 1024

/** Keeps threads as long as the process lives: for tests, and for durable runs that need no disk. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options)
}

class MemoryStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #clock: Clock
  readonly #threads = new Map<string, Thread>()
  readonly #blobs = new MemoryBlobs()
  readonly #waiters = new Waiters()

  constructor({ clock = Date.now, maxInlineBytes = DEFAULT_MAX_INLINE_BYTES }: MemoryStoreOptions) {
    this.#clock = clock
    this.capabilities = { name: 'memory', multiProcess: false, multiHost: false, maxInlineBytes }
  }

  async init(): Promise<void> {}

  async close(): Promise<void> {
    this.#waiters.wake()
  }

  async create(thread: NewThread): Promise<{ readonly version: number; readonly fence: number }> {
    assertThreadId(thread.id)
    const existing = this.#threads.get(thread.id)
    if (existing !== undefined) throw new ThreadExistsError(thread.id, existing.state.status)
    const { maxInlineBytes } = this.capabilities
    const change = planCreate(thread, { at: this.#now(), maxInlineBytes })
    const state = stateOf(change)
    const lease = thread.claim && this.#leaseFor(thread.claim)
    this.#threads.set(thread.id, { state, changes: [change], base: undefined, lease })
    this.#waiters.wake()
    return { version: state.version, fence: state.fence }
  }

  async load(threadId: string): Promise<StoredThread | undefined> {
    assertThreadId(threadId)
    const thread = this.#threads.get(threadId)
    return thread && storedOf(thread.state, this.#leaseOf(thread))
  }

  async commit(batch: Commit): Promise<Committed> {
    const thread = this.#thread(batch.threadId)
    this.#assertMayWrite(thread, batch.fence)
    const change = planCommit(thread.state, batch, {
      at: this.#now(),
      untold: batch.fence === null ? 'every' : untoldIn(thread),
      maxInlineBytes: this.capabilities.maxInlineBytes,
    })
    this.#apply(thread, change)
    if (batch.release === true) thread.lease = undefined
    return { version: change.version, status: change.status }
  }

  async answer(request: AnswerRequest): Promise<{ readonly woken: boolean }> {
    const thread = this.#thread(request.threadId)
    const plan = planAnswer(thread.state, request, this.#now())
    if (plan.kind === 'repeated' || plan.change.answers.length === 0) return { woken: false }
    this.#apply(thread, plan.change)
    thread.lease?.untold.push(...plan.change.answers)
    return { woken: plan.woken }
  }

  async takeAnswers(threadId: string, fence: number): Promise<readonly GivenAnswer[]> {
    const lease = this.#heldLease(this.#thread(threadId), fence)
    if (lease === undefined) throw new StaleFenceError(threadId)
    const answers = lease.untold
    lease.untold = []
    return answers
  }

  async claim(threadId: string, claimant: Claimant): Promise<Claimed> {
    const thread = this.#thread(threadId)
    if (thread.lease !== undefined && this.#isAlive(thread.lease)) {
      throw new ThreadLockedError(threadId, thread.lease.holder)
    }
    return this.#take(thread, claimant)
  }

  async claimReady(claimant: Claimant, limit: number): Promise<readonly Claimed[]> {
    const taken: Claimed[] = []
    for (const thread of this.#threads.values()) {
      if (taken.length >= limit) break
      if (this.#isRunnable(thread)) taken.push(this.#take(thread, claimant))
    }
    return taken
  }

  async heartbeat(
    claimant: Claimant,
    held: readonly { readonly id: string; readonly fence: number }[],
  ): Promise<readonly string[]> {
    const until = this.#clock() + claimant.leaseMs
    return held
      .filter(({ id, fence }) => {
        const thread = this.#threads.get(id)
        const lease = thread && this.#heldLease(thread, fence)
        if (lease?.owner !== claimant.owner) return false
        lease.until = until
        return true
      })
      .map(({ id }) => id)
  }

  async release(
    threadId: string,
    fence: number,
    options: { readonly runAfter?: string } = {},
  ): Promise<boolean> {
    const thread = this.#threads.get(threadId)
    if (thread === undefined || this.#heldLease(thread, fence) === undefined) return false
    const { runAfter } = options
    const status = statusAfterRelease(thread.state, { runAfter, untold: untoldIn(thread) })
    this.#apply(thread, { kind: 'release', at: this.#now(), status, runAfter })
    thread.lease = undefined
    return true
  }

  async pending(query: PendingQuery = {}): Promise<Page<PendingThread>> {
    return pageOf(
      keysAfter(this.#threads.keys(), query.after),
      (id) => this.#waiting(id, query),
      query.limit,
    )
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadHead>> {
    return pageOf(
      keysAfter(this.#threads.keys(), query.after),
      (id) => {
        const thread = this.#thread(id)
        const { status, flow } = thread.state
        if (query.flow !== undefined && query.flow !== flow) return undefined
        if (query.status !== undefined && !query.status.includes(status)) return undefined
        return headOf(thread.state, this.#leaseOf(thread))
      },
      query.limit,
    )
  }

  async events(
    threadId: string,
    query: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredEvent[]> {
    const { after = 0, limit = Infinity } = query
    const { changes = [], base: from = ORIGIN } = this.#threads.get(threadId) ?? {}
    return eventsOf(changes, { after, limit, from })
  }

  async history(
    threadId: string,
    query: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CheckpointInfo[]> {
    const { before = Infinity, limit = Infinity } = query
    return checkpointsOf(this.#threads.get(threadId)?.changes ?? [])
      .filter(({ version }) => version < before)
      .toReversed()
      .slice(0, limit)
  }

  async checkpointAt(threadId: string, version: number): Promise<StoredThread | undefined> {
    const { changes = [], base } = this.#threads.get(threadId) ?? {}
    const state = foldUntil(changes, version, base && cloneState(base))
    return state && storedOf(state)
  }

  async prune(threadId: string, keep: number): Promise<Pruned> {
    const thread = this.#thread(threadId)
    if (thread.lease !== undefined && this.#isAlive(thread.lease)) {
      throw new ThreadLockedError(threadId, thread.lease.holder)
    }
    const { index, removed, oldest } = cutOf(thread.changes, keep)
    const base = thread.base && cloneState(thread.base)
    thread.base = fold(thread.changes.slice(0, index), base)
    thread.changes = thread.changes.slice(index)
    return { removed, oldest }
  }

  async delete(threadId: string): Promise<boolean> {
    assertThreadId(threadId)
    const lease = this.#threads.get(threadId)?.lease
    if (lease !== undefined && this.#isAlive(lease)) {
      throw new ThreadLockedError(threadId, lease.holder)
    }
    this.#waiters.wake()
    return this.#threads.delete(threadId)
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    return this.#blobs.put(bytes)
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#blobs.get(hash)
  }

  wait(ms: number): Promise<void> {
    return this.#waiters.wait(ms)
  }

  #now(): string {
    return new Date(this.#clock()).toISOString()
  }

  #thread(id: string): Thread {
    assertThreadId(id)
    const thread = this.#threads.get(id)
    if (thread === undefined)
      throw new UnknownThreadError(id, nearIds(id, [...this.#threads.keys()]))
    return thread
  }

  #apply(thread: Thread, change: Exclude<Change, { readonly kind: 'create' }>): void {
    applyChange(thread.state, change)
    thread.changes.push(change)
    this.#waiters.wake()
  }

  #assertMayWrite(thread: Thread, fence: number | null): void {
    const { state, lease } = thread
    if (fence !== null) {
      if (this.#heldLease(thread, fence) === undefined) throw new StaleFenceError(state.id)
      return
    }
    if (lease === undefined) return
    if (this.#isAlive(lease)) throw new ThreadLockedError(state.id, lease.holder)
    // Its holder is gone; without a lease it can't write, should it come back.
    thread.lease = undefined
  }

  #heldLease(thread: Thread, fence: number): HeldLease | undefined {
    return thread.state.fence === fence ? thread.lease : undefined
  }

  #take(thread: Thread, claimant: Claimant): Claimed {
    const { owner, holder } = claimant
    const fence = thread.state.fence + 1
    this.#apply(thread, { kind: 'claim', at: this.#now(), owner, holder, fence })
    thread.lease = this.#leaseFor(claimant)
    return { ...storedOf(thread.state, this.#leaseOf(thread)), fence }
  }

  #isRunnable({ state, lease }: Thread): boolean {
    if (lease !== undefined && this.#isAlive(lease)) return false
    if (state.status === 'running') return true
    const isDue = state.runAfter === undefined || Date.parse(state.runAfter) <= this.#clock()
    return state.status === 'ready' && isDue
  }

  #waiting(id: string, query: PendingQuery): PendingThread | undefined {
    const thread = this.#thread(id)
    const { state } = thread
    const isMeant =
      (query.threadId === undefined || query.threadId === id) &&
      (query.flow === undefined || query.flow === state.flow)
    if (!isMeant || state.open === 0 || isClosed(state.status)) return undefined
    const head = headOf(state, this.#leaseOf(thread))
    return { head, open: openOf(state), answered: state.answered }
  }

  #leaseFor({ owner, holder, leaseMs }: Claimant): HeldLease {
    return { owner, holder, until: this.#clock() + leaseMs, untold: [] }
  }

  #isAlive(lease: HeldLease): boolean {
    return this.#clock() < lease.until
  }

  #leaseOf({ lease }: Thread): Lease | undefined {
    if (lease === undefined) return undefined
    const { owner, holder, until } = lease
    return { owner, holder, until: untilText(until), alive: this.#isAlive(lease) }
  }
}

function untoldIn({ lease }: Thread): readonly string[] {
  return lease?.untold.map(({ id }) => id) ?? []
}
