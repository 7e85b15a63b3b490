import type { Services } from '../core/clock.ts'
import type {
  AnsweredInterrupt,
  InterruptHandler,
  ResumeCommand,
  RunResult,
  ThreadMeta,
  ThreadView,
} from '../core/command.ts'
import {
  HexagonError,
  NoStoreError,
  ThreadClosedError,
  ThreadLockedError,
  UnknownThreadError,
} from '../core/errors.ts'
import type { Flow } from '../core/flow.ts'
import type { AnswerSource, Interrupt } from '../core/interrupt.ts'
import type {
  CheckpointInfo,
  Claimant,
  Claimed,
  Page,
  PendingQuery,
  Store,
  StoredThread,
  ThreadHead,
  ThreadQuery,
} from '../core/store.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { processIdentity } from '../system/process-identity.ts'
import { systemServices } from '../system/services.ts'
import { expectPlaces } from './drift.ts'
import { Heartbeat } from './heartbeat.ts'
import { QuestionIndex } from './question-index.ts'
import { resolveAnswers } from './resolve-answers.ts'
import { RunHandle, type Run } from './run.ts'
import { Session, type SessionOptions } from './session.ts'
import { FORMAT, metaOf, restoredOf, runRecordOf, seenOf, textOf } from './thread-record.ts'
import { holderOf, statusOf, viewOf } from './thread-view.ts'

/** What a runner is made with. */
export interface RunnerOptions extends Omit<SessionOptions, 'retryFailed' | 'strictReplay'> {
  /** Where threads live; without one nothing can be continued later. */
  readonly store?: Store | undefined
  /** Flows that `resume` finds by the name in the thread. */
  readonly flows?: readonly (Flow | FlowFunction)[]
  /** Who answers, unless a call says otherwise. */
  readonly source?: AnswerSource
  readonly services?: Partial<Services>
}

/** A bare function as a flow. */
export type FlowFunction = (input: never, ctx: never) => unknown

/** Turns whatever a flow file exports into what the engine drives. */
export type Adapt = (flow: unknown, fallback?: string) => Runnable

export interface RunOptions extends Omit<SessionOptions, 'retryFailed' | 'strictReplay'> {
  readonly threadId?: string | undefined
  readonly meta?: Partial<ThreadMeta>
  readonly source?: AnswerSource
}

export interface ResumeOptions extends SessionOptions {
  readonly flow?: Flow | FlowFunction
  readonly source?: AnswerSource
  /** Goes on although the flow's nodes and edges have changed. */
  readonly allowChanged?: boolean
  readonly meta?: Partial<ThreadMeta>
}

/** A waiting thread in a list. */
export interface PendingView extends ThreadSummary {
  readonly interrupts: readonly Interrupt[]
  readonly answered: number
}

export interface ThreadSummary {
  readonly threadId: string
  readonly flow: string
  readonly status: ThreadView['status']
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly meta: ThreadMeta
  readonly holder?: { readonly pid: number; readonly host: string; readonly since: string }
}

const LEASE_MS = 30_000

/** Starts threads, continues them, and tells about them. */
export class ThreadRunner {
  readonly #options: RunnerOptions
  readonly #adapt: Adapt
  readonly #services: Services
  readonly #flows: ReadonlyMap<string, Runnable>

  constructor(options: RunnerOptions, adapt: Adapt) {
    this.#options = options
    this.#adapt = adapt
    this.#services = { ...systemServices(), ...options.services }
    this.#flows = new Map(
      (options.flows ?? []).map((flow) => adapt(flow)).map((flow) => [flow.name, flow]),
    )
  }

  /** Starts a thread. Its input is checked before the thread exists. */
  run(flow: Flow | FlowFunction, input?: unknown, options: RunOptions = {}): Run {
    const threadId = options.threadId ?? this.#services.ids.thread()
    return new RunHandle(threadId, async (handle) => {
      const runnable = this.#adapt(flow)
      const checked = await runnable.checkInput(input)
      const { store } = this.#options
      if (store === undefined && options.threadId !== undefined)
        throw new NoStoreError(`Thread "${options.threadId}"`)
      const meta = this.#newMeta(runnable, options)
      const claimant = this.#claimant()
      const created = await store?.create({
        id: threadId,
        flow: runnable.name,
        meta: textOf(meta),
        status: 'running',
        records: [['run', textOf({ input: checked })]],
        claim: claimant,
      })
      const held =
        store === undefined || created === undefined
          ? undefined
          : { store, ...created, status: 'running' as const }
      return this.#stretch(handle, {
        flow: runnable,
        input: checked,
        meta,
        held,
        claimant,
        options: { ...this.#options, ...defined(options) },
        resumed: false,
      })
    })
  }

  /** {@link run} for who only wants the result. */
  invoke(flow: Flow | FlowFunction, input?: unknown, options: RunOptions = {}): Promise<RunResult> {
    return this.run(flow, input, options).result
  }

  /** Continues a thread. Every refusal comes before anything runs or is written. */
  resume(threadId: string, command: ResumeCommand = {}, options: ResumeOptions = {}): Run {
    return new RunHandle(threadId, async (handle) => {
      const store = this.#store(`Resuming thread "${threadId}"`)
      const stored = await this.#load(threadId)
      resolveAnswers(stored, command, this.#services.clock())
      if (stored.head.lease?.alive === true)
        throw new ThreadLockedError(threadId, stored.head.lease.holder)
      const flow = this.#flowOf(stored, options)
      expectPlaces(stored, flow)
      flow.checkCommand({
        update: command.update,
        goto: command.goto === undefined ? undefined : [command.goto].flat(),
      })
      const claimant = this.#claimant()
      const claimed = await store.claim(threadId, claimant)
      try {
        return await this.#continue(handle, { claimed, stored, command, flow, claimant, options })
      } catch (error) {
        await store.release(threadId, claimed.fence).catch(() => false)
        throw error
      }
    })
  }

  async #continue(
    handle: RunHandle,
    at: {
      claimed: Claimed
      stored: StoredThread
      command: ResumeCommand
      flow: Runnable
      claimant: Claimant
      options: ResumeOptions
    },
  ): Promise<RunResult> {
    const { claimed, command, flow, claimant, options } = at
    const store = this.#store('Resuming')
    // Somebody may have gone on between the look and the claim: the look counts for nothing then.
    const answers = resolveAnswers(
      { ...claimed, head: { ...claimed.head, status: at.stored.head.status } },
      command,
      this.#services.clock(),
    )
    const retryFailed = options.retryFailed ?? answers.size === 0
    for (const { id } of new QuestionIndex(claimed).breakpoints) answers.set(id, true)
    return this.#stretch(handle, {
      flow,
      input: runRecordOf(claimed).input,
      meta: { ...metaOf(claimed.head), ...options.meta },
      held: {
        store,
        fence: claimed.fence,
        version: claimed.head.version,
        status: at.stored.head.status,
      },
      claimant,
      claimed,
      command,
      answers,
      options: { ...this.#options, ...defined(options), retryFailed },
      resumed: true,
    })
  }

  async #stretch(
    handle: RunHandle,
    start: {
      readonly flow: Runnable
      readonly input: unknown
      readonly meta: ThreadMeta
      readonly held:
        | {
            readonly store: Store
            readonly fence: number
            readonly version: number
            readonly status: StoredThread['head']['status']
          }
        | undefined
      readonly claimant: Claimant
      readonly claimed?: Claimed
      readonly command?: ResumeCommand
      readonly answers?: ReadonlyMap<string, unknown>
      readonly options: SessionOptions & { readonly source?: AnswerSource }
      readonly resumed: boolean
    },
  ): Promise<RunResult> {
    const { claimed, command, answers, options, held } = start
    const session = new Session({
      flow: start.flow,
      threadId: handle.threadId,
      input: start.input,
      meta: start.meta,
      services: this.#services,
      resumed: start.resumed,
      held,
      restored: claimed === undefined ? undefined : restoredOf(claimed),
      asked: claimed?.interrupts.at(-1)?.ordinal ?? 0,
      source: { via: 'call', ...this.#options.source, ...options.source },
      options,
      onEvent: (event) => handle.push(event),
      ...(command === undefined ? {} : { command }),
      ...(answers === undefined ? {} : { answers }),
    })
    handle.connect((mode, reason) => session.run.cancel(mode, reason))
    const heartbeat =
      held === undefined
        ? undefined
        : new Heartbeat(
            held.store,
            start.claimant,
            { id: handle.threadId, fence: held.fence },
            session.run,
          )
    try {
      const result = await session.execute().catch(async (error: unknown) => {
        // Whatever went wrong, nobody else has to wait for this process to end.
        await held?.store.release(handle.threadId, held.fence).catch(() => false)
        throw error
      })
      heartbeat?.stop()
      return session.woken && result.stopped === undefined
        ? await this.#again(handle, start)
        : result
    } finally {
      heartbeat?.stop()
    }
  }

  /** Answers came in while the run came to rest: it goes on with them. */
  async #again(
    handle: RunHandle,
    { flow, options, claimant }: { flow: Runnable; options: SessionOptions; claimant: Claimant },
  ): Promise<RunResult> {
    const store = this.#store('Resuming')
    const stored = await this.#load(handle.threadId)
    const claimed = await store.claim(handle.threadId, claimant)
    return this.#continue(handle, {
      claimed,
      stored,
      command: {},
      flow,
      claimant,
      options: { ...options, retryFailed: false },
    })
  }

  /** Stores answers without running, also while another process runs the thread. */
  async answer(
    threadId: string,
    command: Pick<ResumeCommand, 'answers' | 'answer' | 'digests' | 'ifVersion'>,
    options: { readonly source?: AnswerSource } = {},
  ): Promise<ThreadView> {
    const store = this.#store('Answering')
    const stored = await this.#load(threadId)
    const answers = resolveAnswers(stored, command, this.#services.clock())
    const source = { via: 'call' as const, ...this.#options.source, ...options.source }
    await store.answer({
      threadId,
      answers: [...answers].map(([id, value]) => ({ id, value: textOf(value) })),
      source: textOf(source),
      by: source.by ?? source.osUser ?? 'unknown',
      requestId: this.#services.ids.unique(),
    })
    return this.get(threadId)
  }

  /** @throws UnknownThreadError */
  async get(threadId: string): Promise<ThreadView> {
    return viewOf(await this.#load(threadId))
  }

  /** Threads that wait for a person, with what they ask. */
  async pending(query: PendingQuery = {}): Promise<Page<PendingView>> {
    const page = await this.#store('Listing what waits').pending(query)
    return {
      ...page,
      items: page.items.map(({ head, open, answered }) => ({
        ...summaryOf(head),
        interrupts: open.map((row) => seenOf(row, head.id)),
        answered,
      })),
    }
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadSummary>> {
    const page = await this.#store('Listing threads').threads(query)
    return { ...page, items: page.items.map(summaryOf) }
  }

  /** Checkpoints of a thread, newest first. */
  async history(
    threadId: string,
    query: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CheckpointInfo[]> {
    await this.#load(threadId)
    return this.#store('History').history(threadId, query)
  }

  /** Closes a thread for good; its open questions with it. */
  async cancel(threadId: string, reason = 'cancelled'): Promise<ThreadView> {
    const store = this.#store('Cancelling')
    const { head } = await this.#load(threadId)
    if (head.status === 'completed' || head.status === 'cancelled')
      throw new ThreadClosedError(threadId, head.status)
    const claimed = await store.claim(threadId, this.#claimant())
    const open = claimed.interrupts.filter(
      ({ status }) => status === 'open' || status === 'answered',
    )
    await store.commit({
      threadId,
      expectVersion: claimed.head.version,
      fence: claimed.fence,
      status: 'cancelled',
      label: 'cancelled',
      cancel: open.map(({ id }) => id),
      meta: textOf({ ...metaOf(claimed.head), error: { name: 'CancelledError', message: reason } }),
      release: true,
    })
    return this.get(threadId)
  }

  /** @throws UnknownThreadError, ThreadLockedError while somebody runs it */
  async delete(threadId: string): Promise<void> {
    await this.#store('Deleting').delete(threadId)
  }

  #store(what: string): Store {
    if (this.#options.store === undefined) throw new NoStoreError(what)
    return this.#options.store
  }

  async #load(threadId: string): Promise<StoredThread> {
    const stored = await this.#store(`Thread "${threadId}"`).load(threadId)
    if (stored === undefined) throw new UnknownThreadError(threadId)
    return stored
  }

  #flowOf(stored: StoredThread, { flow }: ResumeOptions): Runnable {
    if (flow !== undefined) return this.#adapt(flow, stored.head.flow)
    const known = this.#flows.get(stored.head.flow)
    if (known !== undefined) return known
    throw new HexagonError(
      'E2117',
      `Thread "${stored.head.id}" runs flow "${stored.head.flow}", which this runner does not know`,
      {
        hint: 'new Runner({ flows: [flow] }), or resume(id, command, { flow }).',
      },
    )
  }

  #newMeta(flow: Runnable, { meta }: RunOptions): ThreadMeta {
    const { by } = this.#options.source ?? {}
    return { format: FORMAT, shape: flow.describe(), ...(by === undefined ? {} : { by }), ...meta }
  }

  #claimant(): Claimant {
    const { pid, host } = processIdentity()
    const since = new Date(this.#services.clock()).toISOString()
    return { owner: this.#services.ids.unique(), holder: { pid, host, since }, leaseMs: LEASE_MS }
  }
}

function summaryOf(head: ThreadHead): ThreadSummary {
  const holder = holderOf(head.lease)
  return {
    threadId: head.id,
    flow: head.flow,
    status: statusOf(head),
    version: head.version,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    meta: metaOf(head),
    ...(holder === undefined ? {} : { holder }),
  }
}

/** Options that were given; `undefined` leaves the runner's own. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

export type { AnsweredInterrupt, InterruptHandler }
