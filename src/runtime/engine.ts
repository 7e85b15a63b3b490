// What the parts of a running engine know of each other. Each part is a class of its own file and meets the
// others only through these, so that the files depend on this one and never on each other in a circle.

import type { Address, AddressSegment } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import type { InterruptHandler } from '../core/command.ts'
import type { Problem } from '../core/errors.ts'
import type { RunEvent, RunEventBody } from '../core/event.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import type { Durability, Journal, Persistence } from './journal.ts'
import type { Memo } from './memo.ts'
import type { Question, QuestionRow } from './question.ts'
import type { Restored } from './restored.ts'
import type { Entered, ResumeInfo } from './resume-info.ts'
import type { RunningScopes } from './running-scopes.ts'
import type { InterruptSignal } from './signal.ts'

/** How a task's stretch of execution ended. */
export type Outcome =
  | { readonly kind: 'finished'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'parked' }
  | { readonly kind: 'abandoned' }

/** A place where nobody can be asked, as an error names it. */
export type Unaskable =
  | 'in a router'
  | 'in a reducer'
  | 'in a subgraph mapper'
  | 'in an output function'
  | 'in a start hook'
  | 'in a step that runs once'
  | 'in a step whose time is up'
  | 'in the verify of a step'
  | 'outside a flow'

/** The running frame at an address; see Scope. */
export interface TaskScope {
  readonly frame: TaskFrame
  readonly address: Address
  /** The place inside the task, one text per place and visit. */
  readonly path: string
  readonly unaskable: Unaskable | undefined
  /** How many steps this scope runs inside of, within its task. */
  readonly steps: number
  /** What it was handed when it was entered; set by whoever asks first. */
  entered: Entered | undefined
  ordinal(name: string): number
  place(key: string, recorded?: readonly number[]): string
  child(added: AddressSegment): TaskScope
  at(path: string, added: AddressSegment, counted?: boolean): TaskScope
}

/** A call of `interrupt()` that waits in this process. */
export interface Leaf {
  readonly frame: TaskFrame
  row: QuestionRow
  readonly question: Question
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Steps around the call, which wait with it. */
  readonly depth: number
}

/** One entry of a task; see Frame. */
export interface TaskFrame {
  readonly run: Engine
  readonly id: string
  readonly address: Address
  readonly memo: Map<string, Memo>
  readonly questions: Map<string, QuestionRow>
  readonly leaves: Map<string, Leaf>
  readonly hosted: Set<string>
  /** True when the body does nothing but run a graph. */
  readonly plain: boolean
  readonly unfinished: Set<string>
  readonly recorded: Map<number, Memo>
  calls: number
  resumption: ResumeInfo | undefined
  thrown: readonly InterruptSignal[]
  escaped: Set<InterruptSignal> | undefined
  inside: RunningScopes | undefined
  /** True once its steps did not come back as they were. */
  varies: boolean
  refused: { readonly id: string; readonly error: unknown } | undefined
  readonly status: 'live' | 'parked' | 'ended' | 'fenced'
  readonly idle: boolean
  readonly signal: AbortSignal
  guard(effect?: boolean): void
  readonly unwound: boolean
  leave(place: string): void
  expectAnswered(place: string): void
  begin(count?: number): void
  done(count?: number): void
  wait(depth: number): void
  wake(depth: number): Promise<void> | undefined
  park(): void
  unwind(): Promise<void>
  abandon(reason: unknown): void
}

/** Something that can enter one of its tasks again: a graph instance. */
export interface TaskOwner {
  /** Runs a task that waits without a live call. */
  enter(task: string): void
  /** Rejects what waits for this instance, when the run stops. */
  unwind(): void
  /** True when nothing waits for it but the task that it is. */
  readonly isNode: boolean
  /** True while nothing in it goes on and the task around waits for it. */
  readonly waits: boolean
  /** True from {@link letGo} until the task around comes back to it. */
  readonly isLetGo: boolean
  /** Unwinds the task around, which waits for it; that task begins it anew. */
  letGo(): void
  /** Keys of its state. */
  readonly keys: readonly string[]
  /** A value of its state: as one of its tasks reads it, or as it is now. */
  read(key: string, task?: string): unknown
}

/** What a stretch of execution is made with. */
export interface EngineOptions {
  readonly threadId: string
  readonly services: Services
  readonly store?: Persistence | undefined
  readonly durability?: Durability
  /** Supersteps per thread; undefined leaves it to the graph. */
  readonly maxSteps?: number | undefined
  readonly maxConcurrency?: number | undefined
  /** Enters a task again at every answer, so that code that can't be replayed is found. */
  readonly replayAlways?: boolean
  readonly handler?: InterruptHandler | undefined
  readonly restored?: Restored | undefined
  /** How many questions the thread has opened so far. */
  readonly asked?: number
  /** False lets code ask for new things before old ones (the flow was changed on purpose). */
  readonly strictReplay?: boolean
  /** Where nobody can answer, asking is an error at the call. */
  readonly closed?: boolean
  readonly breakBefore?: readonly string[]
  readonly breakAfter?: readonly string[]
  /** Runs failed tasks again. */
  readonly retryFailed?: boolean
  /** The thread was put back to an earlier version: what ran after it is not known. */
  readonly inDoubt?: { readonly at: string } | undefined
  readonly update?: Readonly<Record<string, unknown>> | undefined
  readonly goto?: readonly string[] | undefined
  /** The subgraph that `update` and `goto` are for; the flow itself otherwise. */
  readonly within?: Address | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
}

/** Why a run was told to stop. */
export interface Stop {
  readonly mode: 'graceful' | 'immediate'
  readonly reason: string
  readonly at: string
}

/** A stretch of execution; see ThreadRun. */
export interface Engine {
  readonly options: EngineOptions
  readonly threadId: string
  readonly services: Services
  readonly journal: Journal
  readonly restored: Restored
  readonly questions: QuestionDesk
  readonly asker: AskerDesk
  readonly live: Set<TaskFrame>
  readonly owners: Map<string, TaskOwner>
  readonly abort: AbortController | undefined
  readonly stop: Stop | undefined
  unreadable: { readonly error: unknown } | undefined
  version: number
  steps: number
  readonly listening: boolean
  emit(address: Address, body: RunEventBody): void
  /** What an earlier process left of a task, once; undefined when there is nothing. */
  memoOf(task: string): Map<string, Memo> | undefined
  changed(): void
  later(frame: TaskFrame): void
  reached(frame: TaskFrame, outcome: Outcome): void
  raise(frame: TaskFrame, outcome: Outcome): boolean
  swallowed(frame: TaskFrame): void
  enter(lineage: readonly string[], ownerOf: (task: string) => string): void
}

/** The open questions of a run; see Questions. */
export interface QuestionDesk {
  readonly targets: ReadonlySet<string>
  readonly submitting: boolean
  /** Tasks whose answer is on its way, and the tasks around them. */
  readonly coming: ReadonlySet<string>
  readonly commandRefused: boolean
  settled(): Promise<void>
  /** Runs `act` when the command's answers are taken, before anything goes on with them. */
  whenTaken(act: () => void): void
  ask(scope: TaskScope, question: Question): Promise<unknown>
  isOpen(id: string): boolean
  /** True while an answer of `id` is on its way. */
  isTaken(id: string): boolean
  saved(): QuestionRow[]
  check(id: string, value: unknown): Promise<readonly Problem[]>
  submit(answers: ReadonlyMap<string, unknown>, source: AnswerSource): Promise<void>
  dismiss(id: string, reason: Error): Promise<void>
  passages(task: string): Iterable<string>
  waitsIn(task: string): boolean
  /** True when `task` and what runs inside it wait, and only for what components' signals ask. */
  waitsForSignals(task: string): boolean
  cancelIn(task: string): void
  openBreakpoint(at: { task: string; address: Address; message: string; payload: unknown }): void
}

/** Who asks people; see Asker. */
export interface AskerDesk {
  readonly busy: boolean
  notify(): void
  withdraw(reason: Error): void
  fail(error: unknown): void
}
