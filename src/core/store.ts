import type { Holder } from './errors.ts'

// The Store port. Everything that must be atomic is one call. Values are JSON text the store never
// looks into. A checkpoint is a set of keyed records; a commit carries only what changed.
//
// Invariants every store keeps (test/contracts/store.ts proves them):
//   1. A commit is applied whole or not at all, only on the expected version and by the current fence.
//   2. A question is answered at most once; an answer is never lost, whenever it comes.
//   3. Fences of one thread only grow; an old holder can't write, release or extend.
//   4. A damaged thread is reported by name and never hides the others.

/** JSON text, opaque to the store. */
export type JsonText = string

/** `ready` is internal to stores: answered, nobody runs it yet. Outside it shows as `suspended`. */
export type StoredStatus = 'ready' | 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'

/** When answers make a suspended thread ready: on any, or when no question is open. */
export type WakeRule = 'any' | 'all'

/** What lists and locks need to know of a thread, without its records. */
export interface ThreadHead {
  readonly id: string
  readonly flow: string
  readonly status: StoredStatus
  /** Grows by one with each commit; 1 after create. */
  readonly version: number
  readonly fence: number
  /** How often it was claimed since it last came to rest. */
  readonly attempts: number
  readonly wake: WakeRule
  readonly createdAt: string
  readonly updatedAt: string
  /** Free for the runner: flow file, fingerprint, parent, working directory, who, error. */
  readonly meta: JsonText
  /** Who runs it, if anyone. */
  readonly lease?: Lease
}

/** A lease as others see it. */
export interface Lease {
  readonly owner: string
  readonly holder: Holder
  /** ISO time; absent when the lease lives as long as the process. */
  readonly until?: string
  /** False when the holder is known to be gone: the thread can be taken over. */
  readonly alive: boolean
}

/** One question as stored. `consumed`: its answer went into a commit. */
export interface InterruptRow {
  readonly id: string
  readonly ordinal: number
  readonly kind: string
  readonly status: 'open' | 'answered' | 'consumed' | 'cancelled' | 'expired'
  /** ISO time after which it is due; the store never acts on it. */
  readonly expiresAt?: string
  readonly body: JsonText
  readonly answer?: StoredAnswer
}

/** A question to open (or to open again, with the same id and a new body). */
export interface NewInterrupt {
  readonly id: string
  readonly ordinal: number
  readonly kind: string
  readonly expiresAt?: string
  readonly body: JsonText
}

/** An answer as stored; `source` is JSON text too. */
export interface StoredAnswer {
  readonly value: JsonText
  readonly source: JsonText
  readonly by: string
  readonly at: string
  readonly requestId: string
}

/** One event of a thread's log. */
export interface StoredEvent {
  /** Dense, from 1. */
  readonly seq: number
  readonly version: number
  readonly body: JsonText
}

/** Everything needed to go on. */
export interface StoredThread {
  readonly head: ThreadHead
  readonly records: ReadonlyMap<string, JsonText>
  /** Every question ever opened, in order of its ordinal; closed ones may have an empty body. */
  readonly interrupts: readonly InterruptRow[]
}

/** Who claims, and for how long. A file lease lives as long as its process; others end after `leaseMs` without a heartbeat. */
export interface Claimant {
  readonly owner: string
  readonly holder: Holder
  readonly leaseMs: number
  /** Takes the thread also from a holder on another host or boot, of whom nobody here can tell whether it lives. Only on a person's demand. */
  readonly steal?: boolean
}

export interface NewThread {
  readonly id: string
  readonly flow: string
  readonly meta: JsonText
  readonly status: StoredStatus
  readonly wake?: WakeRule
  readonly records: readonly (readonly [key: string, value: JsonText])[]
  readonly events?: readonly JsonText[]
  /** Claims it in the same act. */
  readonly claim?: Claimant
}

/** The parts act in this order: cancel, expire, open, answer, consume. */
export interface Commit {
  readonly threadId: string
  readonly expectVersion: number
  /** The holder's fence; null for an edit while nobody holds it. */
  readonly fence: number | null
  readonly status: StoredStatus
  /** What the checkpoint is, for history: `superstep 3`, `step "tag"`. */
  readonly label?: string
  readonly meta?: JsonText
  readonly wake?: WakeRule
  readonly puts?: readonly (readonly [key: string, value: JsonText])[]
  readonly deletes?: readonly string[]
  readonly open?: readonly NewInterrupt[]
  /** Answers given by the holder itself, all or none; NOT_OPEN ids refuse the whole commit. */
  readonly answer?: readonly { readonly id: string; readonly answer: StoredAnswer }[]
  /** Answered ones whose task has committed. */
  readonly consume?: readonly string[]
  readonly cancel?: readonly string[]
  readonly expire?: readonly string[]
  readonly events?: readonly JsonText[]
  /** Gives the lease up in the same act. */
  readonly release?: boolean
  /** ISO time before which a `ready` thread is not claimed by a worker. */
  readonly runAfter?: string
}

/**
 * `status` may be `ready` although `suspended` was asked for: an answer came that the holder was not told
 * of, by `claim`, `takeAnswers` or its own `answer`. One it knows and did not consume wakes nobody. An
 * edit (fence null) knows of none.
 */
export interface Committed {
  readonly version: number
  readonly status: StoredStatus
}

export interface AnswerRequest {
  readonly threadId: string
  readonly answers: readonly { readonly id: string; readonly value: JsonText }[]
  readonly source: JsonText
  readonly by: string
  /** Sent again with the same id by the same sender, the answer succeeds again. */
  readonly requestId: string
  /** Refused with StaleVersionError when the thread has another version. */
  readonly expectVersion?: number
}

export interface Claimed extends StoredThread {
  readonly fence: number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Opaque; absent on the last page. */
  readonly next?: string
  /** Files or rows that can't be read; the others are all listed. */
  readonly damaged: readonly Damage[]
}

export interface Damage {
  readonly threadId?: string
  readonly file: string
  readonly problem: string
  /** The error's code where it isn't E1308. */
  readonly code?: string
}

/** A thread that waits, with its open questions (bodies in order of opening). */
export interface PendingThread {
  readonly head: ThreadHead
  readonly open: readonly InterruptRow[]
  /** How many were answered and wait for the run to go on. */
  readonly answered: number
}

export interface PendingQuery {
  readonly after?: string
  readonly limit?: number
  readonly threadId?: string
  readonly flow?: string
}

export interface ThreadQuery {
  readonly after?: string
  readonly limit?: number
  readonly status?: readonly StoredStatus[]
  readonly flow?: string
}

export interface CheckpointInfo {
  readonly version: number
  readonly at: string
  readonly status: StoredStatus
  readonly label: string
}

/** How far back a thread's checkpoints reach once older ones were taken away. */
export interface Pruned {
  /** How many checkpoints were taken away. */
  readonly removed: number
  /** The oldest version that is kept. */
  readonly oldest: number
}

export interface StoreCapabilities {
  readonly name: string
  readonly multiProcess: boolean
  readonly multiHost: boolean
  /** A longer record refuses its commit with E2108 and changes nothing. */
  readonly maxInlineBytes: number
}

/** Where threads live. Proved by one contract suite over every implementation. */
export interface Store {
  readonly capabilities: StoreCapabilities
  /** Makes what is missing; safe from many processes at once. Called by the first use too. */
  init(): Promise<void>
  close(): Promise<void>
  /** @throws ThreadExistsError */
  create(thread: NewThread): Promise<{ readonly version: number; readonly fence: number }>
  /** One consistent snapshot. @throws DamagedError, NewerFormatError */
  load(threadId: string): Promise<StoredThread | undefined>
  /** @throws StaleVersionError, StaleFenceError, AlreadyAnsweredError, UnknownInterruptError, ThreadLockedError (an edit while somebody holds it) */
  commit(batch: Commit): Promise<Committed>
  /** All or none, also while another process runs the thread. @throws AlreadyAnsweredError, UnknownInterruptError, UnknownThreadError */
  answer(request: AnswerRequest): Promise<{ readonly woken: boolean }>
  /** Answers that came from outside since the holder's last look; cheap when there are none. */
  takeAnswers(
    threadId: string,
    fence: number,
  ): Promise<readonly { readonly id: string; readonly answer: StoredAnswer }[]>
  /** Takes one thread, whatever it waits for. @throws UnknownThreadError, ThreadLockedError */
  claim(threadId: string, claimant: Claimant): Promise<Claimed>
  /** Takes up to `limit` threads that are ready and due, or whose holder is gone. */
  claimReady(claimant: Claimant, limit: number): Promise<readonly Claimed[]>
  /** Ids still held. */
  heartbeat(
    claimant: Claimant,
    held: readonly { readonly id: string; readonly fence: number }[],
  ): Promise<readonly string[]>
  /** Back to what the claim found, `ready` when something was committed since or `runAfter` is given. */
  release(
    threadId: string,
    fence: number,
    options?: { readonly runAfter?: string },
  ): Promise<boolean>
  pending(query?: PendingQuery): Promise<Page<PendingThread>>
  threads(query?: ThreadQuery): Promise<Page<ThreadHead>>
  events(
    threadId: string,
    query?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly StoredEvent[]>
  /** Newest first. */
  history(
    threadId: string,
    query?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CheckpointInfo[]>
  checkpointAt(threadId: string, version: number): Promise<StoredThread | undefined>
  /**
   * Takes away all checkpoints but the newest `keep` (1 at least), with the events that led to them; the thread
   * stays as it is. @throws UnknownThreadError, ThreadLockedError while somebody holds it
   */
  prune(threadId: string, keep: number): Promise<Pruned>
  /** Deletes all of a thread, also a damaged one; false when there was none. @throws ThreadLockedError while somebody holds it */
  delete(threadId: string): Promise<boolean>
  putBlob(bytes: Uint8Array): Promise<string>
  getBlob(hash: string): Promise<Uint8Array | undefined>
  /** Resolves when something may have changed, at the latest after `ms`. A hint, never a promise. */
  wait(ms: number): Promise<void>
}
