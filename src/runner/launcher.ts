// A Launcher begins and continues threads: it checks, claims, runs one stretch, and gives the thread back.

import type { Address } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import type { ResumeCommand, RunResult, ThreadMeta } from '../core/command.ts'
import {
  HexagonError,
  NoStoreError,
  ThreadLockedError,
  UnknownThreadError,
} from '../core/errors.ts'
import type { Flow } from '../core/flow.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import type { Claimant, Claimed, Store, StoredThread } from '../core/store.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { processIdentity } from '../system/process-identity.ts'
import { breakpointsOf } from './breakpoints.ts'
import { settleDue } from './deadline.ts'
import { expectPlaces } from './drift.ts'
import { Heartbeat } from './heartbeat.ts'
import { graphAt } from './inner-graph.ts'
import { QuestionIndex } from './question-index.ts'
import { resolveAnswers } from './resolve-answers.ts'
import type { RunHandle } from './run.ts'
import { Session, type Held, type SessionOptions } from './session.ts'
import { FORMAT, metaOf, restoredOf, runRecordOf, textOf } from './thread-record.ts'

/** A bare function as a flow. */
export type FlowFunction = (input: never, ctx: never) => unknown

/** Turns whatever a flow file exports into what the engine drives. */
export type Adapt = (flow: unknown, fallback?: string) => Runnable

/** What a runner is made with. */
export interface RunnerOptions extends Omit<
  SessionOptions,
  'retryFailed' | 'strictReplay' | 'edit' | 'within'
> {
  /** Where threads live; without one nothing can be continued later. */
  readonly store?: Store | undefined
  /** Flows that `resume` finds by the name in the thread. */
  readonly flows?: readonly (Flow | FlowFunction)[]
  /** Who answers, unless a call says otherwise. */
  readonly source?: AnswerSource
  readonly services?: Partial<Services>
}

export interface RunOptions extends Omit<
  SessionOptions,
  'retryFailed' | 'strictReplay' | 'edit' | 'within'
> {
  readonly threadId?: string | undefined
  readonly meta?: Partial<ThreadMeta>
  readonly source?: AnswerSource
}

export interface ResumeOptions extends SessionOptions {
  readonly flow?: Flow | FlowFunction
  readonly source?: AnswerSource
  /** Goes on although the flow's nodes and edges have changed. */
  readonly allowChanged?: boolean
  /** Takes the thread also from a process of which nobody here can tell whether it lives: of another host, or before a restart. */
  readonly stealLock?: boolean
  readonly meta?: Partial<ThreadMeta>
}

/** A claimed thread and what to do with it. */
interface Continuation {
  readonly claimed: Claimed
  /** The status it was claimed from. */
  readonly status: StoredThread['head']['status']
  readonly command: ResumeCommand
  readonly flow: Runnable
  readonly claimant: Claimant
  readonly options: ResumeOptions
}

interface Stretch {
  readonly flow: Runnable
  readonly input: unknown
  readonly meta: ThreadMeta
  readonly held: Held | undefined
  readonly claimant: Claimant
  readonly claimed?: Claimed
  readonly command?: ResumeCommand
  readonly answers?: ReadonlyMap<string, unknown>
  readonly options: SessionOptions & { readonly source?: AnswerSource }
}

const LEASE_MS = 30_000

export class Launcher {
  readonly #options: RunnerOptions
  readonly #adapt: Adapt
  readonly #services: Services
  readonly #flows: ReadonlyMap<string, Runnable>

  constructor(options: RunnerOptions, adapt: Adapt, services: Services) {
    this.#options = options
    this.#adapt = adapt
    this.#services = services
    const flows = (options.flows ?? []).map((flow) => adapt(flow))
    this.#flows = new Map(flows.map((flow) => [flow.name, flow]))
  }

  /** Anything a flow file may export, as the engine drives it. */
  adapt(flow: Flow | FlowFunction): Runnable {
    return this.#adapt(flow)
  }

  /** Begins a thread. Its input is checked before the thread exists. */
  async start(
    handle: RunHandle,
    given: { readonly flow: Flow | FlowFunction; readonly input: unknown },
    options: RunOptions,
  ): Promise<RunResult> {
    const flow = this.#adapt(given.flow)
    const input = await flow.checkInput(given.input)
    const breakpoints = breakpointsOf(flow, options, [this.#options])
    const meta = { ...this.#newMeta(flow, options), ...breakpoints }
    const claimant = this.claimant()
    const held = await this.#create(handle.threadId, { flow, input, meta, claimant, options })
    const merged = { ...this.#options, ...defined(options) }
    return this.#stretch(handle, { flow, input, meta, held, claimant, options: merged })
  }

  async #create(
    threadId: string,
    at: {
      flow: Runnable
      input: unknown
      meta: ThreadMeta
      claimant: Claimant
      options: RunOptions
    },
  ): Promise<Held | undefined> {
    const { store } = this.#options
    if (store === undefined) {
      if (at.options.threadId === undefined) return undefined
      throw new NoStoreError(`Thread "${threadId}"`)
    }
    const created = await store.create({
      id: threadId,
      flow: at.flow.name,
      meta: textOf(at.meta),
      status: 'running',
      records: [['run', textOf({ input: at.input })]],
      claim: at.claimant,
    })
    return { store, status: 'running', ...created }
  }

  /** Continues a thread. Every refusal comes before anything runs or is written. */
  async resume(
    handle: RunHandle,
    command: ResumeCommand,
    options: ResumeOptions,
  ): Promise<RunResult> {
    const { threadId } = handle
    const store = this.#store()
    const stored = await store.load(threadId)
    if (stored === undefined) throw new UnknownThreadError(threadId)
    resolveAnswers(stored, command, this.#services.clock())
    const { lease, status } = stored.head
    const steal = options.stealLock === true
    if (lease?.alive === true && !steal) throw new ThreadLockedError(threadId, lease.holder)
    const flow = this.flowOf(stored, options)
    // Who goes on elsewhere leaves what is gone behind.
    if (command.goto === undefined) expectPlaces(stored, flow)
    breakpointsOf(flow, options, [])
    const { within } = options
    if (within !== undefined) expectEdited(stored, within, options)
    flow.checkCommand({ update: command.update, goto: gotoOf(command), within })
    const claimant = this.claimant()
    const claimed = await store.claim(threadId, steal ? { ...claimant, steal } : claimant)
    try {
      // Somebody went on between the look and the claim, perhaps to its end: what was looked at counts no more.
      if (claimed.head.version !== stored.head.version) {
        await store.release(threadId, claimed.fence)
        return await this.resume(handle, command, options)
      }
      return await this.#continue(handle, { claimed, status, command, flow, claimant, options })
    } catch (error) {
      await store.release(threadId, claimed.fence).catch(() => false)
      throw error
    }
  }

  async #continue(handle: RunHandle, at: Continuation): Promise<RunResult> {
    const { command, flow, claimant, options, status } = at
    const store = this.#store()
    // Somebody may have gone on between the look and the claim: the look counts for nothing then.
    const found = { ...at.claimed, head: { ...at.claimed.head, status } }
    const answers = resolveAnswers(found, command, this.#services.clock())
    const claimed = await this.#settled(at.claimed)
    const retryFailed = options.retryFailed ?? answers.size === 0
    const meta = metaOf(claimed.head)
    const breakpoints = breakpointsOf(flow, options, [meta, this.#options])
    // Whoever edits a thread leaves it where it stands.
    const passed = options.edit === true ? [] : new QuestionIndex(claimed).breakpoints
    for (const { id } of passed) answers.set(id, true)
    return this.#stretch(handle, {
      flow,
      input: runRecordOf(claimed).input,
      meta: { ...meta, ...options.meta, ...breakpoints },
      held: { store, fence: claimed.fence, version: claimed.head.version, status },
      claimant,
      claimed,
      command,
      answers,
      options: { ...this.#options, ...defined(options), ...breakpoints, retryFailed },
    })
  }

  /** The thread after its due questions were settled. */
  async #settled(claimed: Claimed): Promise<Claimed> {
    const store = this.#store()
    if (!(await settleDue(store, claimed, this.#services))) return claimed
    const settled = await store.load(claimed.head.id)
    return settled === undefined ? claimed : { ...settled, fence: claimed.fence }
  }

  async #stretch(handle: RunHandle, start: Stretch): Promise<RunResult> {
    const { held, claimant } = start
    const session = this.#session(handle, start)
    handle.connect((mode, reason) => session.run.cancel(mode, reason))
    const lease = { id: handle.threadId, fence: held?.fence ?? 0 }
    const heartbeat =
      held === undefined
        ? undefined
        : new Heartbeat({ store: held.store, claimant, lease, run: session.run })
    try {
      const result = await session.execute()
      heartbeat?.stop()
      if (!session.woken || result.stopped !== undefined) return result
      return await this.#again(handle, start)
    } catch (error) {
      // Whatever went wrong, nobody else has to wait for this process to end.
      await held?.store.release(handle.threadId, held.fence).catch(() => false)
      throw error
    } finally {
      heartbeat?.stop()
    }
  }

  #session(handle: RunHandle, start: Stretch): Session {
    const { claimed, command, answers, options } = start
    return new Session({
      flow: start.flow,
      threadId: handle.threadId,
      input: start.input,
      meta: start.meta,
      services: this.#services,
      resumed: claimed !== undefined,
      held: start.held,
      restored: claimed === undefined ? undefined : restoredOf(claimed),
      asked: claimed?.interrupts.at(-1)?.ordinal ?? 0,
      source: { via: 'call', ...this.#options.source, ...options.source },
      options,
      command,
      answers,
      onEvent: (event) => handle.push(event),
    })
  }

  /** Answers came in while the run came to rest: it goes on with them. */
  async #again(handle: RunHandle, { flow, options, claimant }: Stretch): Promise<RunResult> {
    const claimed = await this.#store().claim(handle.threadId, claimant)
    const again: ResumeOptions = { ...options, retryFailed: false }
    return this.#continue(handle, {
      claimed,
      status: 'suspended',
      command: {},
      flow,
      claimant,
      options: again,
    })
  }

  /** @throws HexagonError when nobody told the runner the thread's flow */
  flowOf(stored: StoredThread, { flow }: { readonly flow?: Flow | FlowFunction }): Runnable {
    const { id, flow: name } = stored.head
    if (flow !== undefined) return this.#adapt(flow, name)
    const known = this.#flows.get(name)
    if (known !== undefined) return known
    throw new HexagonError(
      'E2117',
      `Thread "${id}" runs flow "${name}", which this runner does not know`,
      {
        hint: 'new Runner({ flows: [flow] }), or resume(id, command, { flow }).',
      },
    )
  }

  #store(): Store {
    if (this.#options.store === undefined) throw new NoStoreError('Continuing a thread')
    return this.#options.store
  }

  #newMeta(flow: Runnable, { meta }: RunOptions): ThreadMeta {
    const { by } = this.#options.source ?? {}
    return { format: FORMAT, shape: flow.describe(), ...(by === undefined ? {} : { by }), ...meta }
  }

  /** This process, as a holder of threads. */
  claimant(): Claimant {
    const { pid, host } = processIdentity()
    const since = new Date(this.#services.clock()).toISOString()
    return { owner: this.#services.ids.unique(), holder: { pid, host, since }, leaseMs: LEASE_MS }
  }
}

function gotoOf({ goto }: ResumeCommand): readonly string[] | undefined {
  return goto === undefined ? undefined : [goto].flat()
}

/** Options that were given; `undefined` leaves the runner's own. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

/** @throws HexagonError unless a subgraph is edited that has begun */
function expectEdited(stored: StoredThread, within: Address, { edit }: ResumeOptions): void {
  if (edit !== true)
    throw new HexagonError('E2144', 'Only runner.update() changes the state of a subgraph', {
      hint: 'Update it first, then resume.',
    })
  graphAt(stored, within)
}
