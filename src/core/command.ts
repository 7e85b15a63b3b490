import type { Address } from './address.ts'
import type { InvalidAnswerError, Problem } from './errors.ts'
import type { ErrorRecord, RunStatus } from './event.ts'
import type { AnswerSource, Interrupt } from './interrupt.ts'

/** What a caller sends a waiting thread. All parts are checked before anything runs or is written. */
export interface ResumeCommand {
  /** Values by interrupt id (or by a key, an address or the name of an agent, where that is exactly one open question). */
  readonly answers?: Readonly<Record<string, unknown>>
  /** The value for the only open question. `undefined` counts as an answer when the property is present. */
  readonly answer?: unknown
  /** Digest by interrupt id: refuses with StaleAnswerError when the question is another now. */
  readonly digests?: Readonly<Record<string, string>>
  /** State keys to fold in through their reducers before going on. */
  readonly update?: Readonly<Record<string, unknown>>
  /** Nodes to continue at; open questions they abandon are closed as cancelled. */
  readonly goto?: string | readonly string[]
  /** Refuses with StaleVersionError when the thread has another version. */
  readonly ifVersion?: number
}

/** How a stretch of execution ended, and what it left. */
export interface RunResult<Output = unknown, State = Readonly<Record<string, unknown>>> {
  readonly status: RunStatus
  readonly threadId: string
  /** The checkpoint's version; 0 without a store. */
  readonly version: number
  /** Superstep reached, over the whole life of the thread. */
  readonly steps: number
  readonly output?: Output
  readonly state: State
  /** Every open question. */
  readonly interrupts: readonly Interrupt[]
  readonly error?: Error
  /** Set when the run was told to stop. The thread is suspended and a plain resume goes on. */
  readonly stopped?: { readonly by: string; readonly at: string }
}

/** A thread as `get` gives it. */
export interface ThreadView {
  readonly threadId: string
  readonly flow: string
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled' | 'crashed'
  readonly version: number
  readonly steps: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly input: unknown
  readonly state: Readonly<Record<string, unknown>>
  readonly output?: unknown
  /** Nodes that run, wait or are planned, with what each waits for. */
  readonly next: readonly string[]
  readonly tasks: readonly TaskView[]
  readonly interrupts: readonly Interrupt[]
  readonly answered: readonly AnsweredInterrupt[]
  readonly error?: ErrorRecord
  /** Steps of which nobody knows whether they happened; absent when there are none. */
  readonly inDoubt?: readonly StepInDoubt[]
  readonly meta: ThreadMeta
  readonly holder?: { readonly pid: number; readonly host: string; readonly since: string }
}

/** Why nobody knows whether a step happened. */
export type DoubtCause = 'unsaved' | 'timeout' | 'failed' | 'restored'

/** A step with `once` that was begun, and whose result was never saved. */
export interface StepInDoubt {
  readonly step: string
  /** The component that called it. */
  readonly address: Address
  /** ISO time: when it was begun, or when its thread was put back to an earlier version. */
  readonly at: string
  readonly why: DoubtCause
  readonly idempotencyKey: string
  /** Id of the open question about it; absent until the thread is run again. */
  readonly interrupt?: string
}

export interface TaskView {
  readonly id: string
  readonly node: string
  /** Which of the tasks of a fan-out: its key or its index. */
  readonly key?: string
  readonly status: 'ready' | 'parked' | 'failed'
  readonly step: number
  readonly interrupts: readonly string[]
  readonly error?: ErrorRecord
}

export interface AnsweredInterrupt {
  readonly id: string
  readonly ordinal: number
  readonly status: 'answered' | 'consumed' | 'cancelled' | 'expired'
  readonly message: string
  /** Undefined, as the address, where the store no longer has the question's body. */
  readonly key?: string
  readonly address?: Address
  readonly value?: unknown
  readonly by?: string
  readonly at?: string
  /** ISO time of its deadline, if it had one. */
  readonly expiresAt?: string
  readonly source?: AnswerSource
}

/** What the runner keeps of a thread besides its records. The caller may add `flowFile` and the like. */
export interface ThreadMeta {
  readonly format: number
  /** Path of the flow file, relative to the project root, when a command line started it. */
  readonly flowFile?: string
  readonly flowExport?: string
  /** Hash of what the flow's files held. */
  readonly files?: string
  /** Nodes and edges, for FlowChangedError and drift. */
  readonly shape?: unknown
  readonly cwd?: string
  readonly by?: string
  readonly parent?: { readonly threadId: string; readonly version: number }
  readonly error?: ErrorRecord
  readonly stopped?: { readonly by: string; readonly at: string }
  /** After a repair: what came behind this version is lost, and may run again. */
  readonly inDoubt?: {
    readonly afterVersion: number
    readonly at: string
    readonly kept: readonly string[]
  }
  readonly steps?: number
  /** How many steps in doubt it asked about when it came to rest. */
  readonly doubts?: number
  /** Nodes a run of this thread stops before, and after; kept by later runs. */
  readonly breakBefore?: readonly string[]
  readonly breakAfter?: readonly string[]
}

/** Answers in place, given while the run goes on; `defer` leaves every question open. */
export type InterruptDecision =
  | 'defer'
  | undefined
  | Readonly<Record<string, unknown>>
  | {
      readonly answers: Readonly<Record<string, unknown>>
      readonly source?: AnswerSource
      /** Reasons by interrupt id: takes these questions away; their calls reject with CancelledError. */
      readonly cancel?: Readonly<Record<string, string>>
    }

/** What a handler may use while it asks. */
export interface InterruptContext {
  /** Fires when the questions were answered elsewhere, expired, or the run stops. */
  readonly signal: AbortSignal
  /** Checks a value as the question will: type, choices, schema, the flow's own validator. Empty means accepted. */
  check(id: string, value: unknown): Promise<readonly Problem[]>
  /**
   * Calls `tell` when the answers that the handler gives are taken, or with the reason when they are refused. Who
   * wants to be told is asked again after a refusal; for everybody else it ends the run.
   */
  outcome?(tell: (refusal?: InvalidAnswerError) => void): void
}

/**
 * Called when questions opened and are saved. It is called again, after answers were taken, with what is
 * then open; `defer` ends the asking, except for questions that open later.
 */
export type InterruptHandler = (
  open: readonly Interrupt[],
  context: InterruptContext,
) => InterruptDecision | Promise<InterruptDecision>
