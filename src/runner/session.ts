// A Session is one stretch of one thread in this process: it holds the thread, runs the flow, and leaves
// the thread in a state that any process can go on from.
//
// Invariants:
//   1. What was refused left the thread as it was: same version, same questions.
//   2. However it ends, the lease is given up.

import type { Address } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import { encode } from '../core/codec.ts'
import type { InterruptHandler, ResumeCommand, RunResult, ThreadMeta } from '../core/command.ts'
import { CancelledError } from '../core/errors.ts'
import type { RunEvent, RunStatus } from '../core/event.ts'
import type { AnswerSource, Interrupt } from '../core/interrupt.ts'
import { copyOf } from '../core/seal.ts'
import type { Store, StoredStatus } from '../core/store.ts'
import type { Outcome } from '../runtime/engine.ts'
import type { EngineOptions } from '../runtime/engine.ts'
import { recordOf } from '../runtime/error-record.ts'
import type { Durability } from '../runtime/journal.ts'
import { interruptOf } from '../runtime/question.ts'
import type { Restored } from '../runtime/restored.ts'
import type { Runnable, Running } from '../runtime/runnable.ts'
import { ThreadRun } from '../runtime/thread-run.ts'
import { StorePersistence } from './persistence.ts'
import { textOf, type RunRecord } from './thread-record.ts'

/** A thread that this process holds. */
export interface Held {
  readonly store: Store
  readonly fence: number
  readonly version: number
  /** What it was before it was claimed. */
  readonly status: StoredStatus
}

/** What a session starts from. */
export interface SessionStart {
  readonly flow: Runnable
  readonly threadId: string
  readonly input: unknown
  readonly meta: ThreadMeta
  readonly services: Services
  readonly resumed: boolean
  readonly held: Held | undefined
  readonly restored?: Restored | undefined
  readonly asked?: number
  readonly answers?: ReadonlyMap<string, unknown> | undefined
  readonly source: AnswerSource
  readonly command?: ResumeCommand | undefined
  readonly options: SessionOptions
  readonly onEvent: (event: RunEvent) => void
}

/** What callers may choose for one stretch. */
export interface SessionOptions {
  readonly durability?: Durability
  readonly replay?: 'always' | 'needed'
  readonly onInterrupt?: InterruptHandler | undefined
  readonly maxSteps?: number | undefined
  readonly maxConcurrency?: number | undefined
  readonly breakBefore?: readonly string[] | undefined
  readonly breakAfter?: readonly string[] | undefined
  readonly retryFailed?: boolean
  readonly strictReplay?: boolean
  /** Applies the command and runs nothing. */
  readonly edit?: boolean
  /** Only with an edit: the subgraph that is edited, by its address. */
  readonly within?: Address | undefined
}

export class Session {
  readonly run: ThreadRun
  readonly #start: SessionStart
  readonly #persistence: StorePersistence | undefined
  readonly #running: Running

  constructor(start: SessionStart) {
    this.#start = start
    const { held, threadId, flow, input } = start
    this.#persistence =
      held === undefined ? undefined : new StorePersistence(held.store, { threadId, ...held })
    this.run = new ThreadRun(runOptions(start, this.#persistence))
    this.run.version = held?.version ?? 0
    if (start.options.edit === true) this.run.cancel('graceful', EDIT)
    this.#running = flow.start(this.run, input)
  }

  /** Runs until everything has ended or waits. Rejects when the command was refused: nothing has changed. */
  async execute(): Promise<RunResult> {
    const { flow, resumed, answers, source } = this.#start
    const { run } = this
    run.emit([], { type: 'run:start', flow: flow.name, resumed })
    const refusal = this.#submit(answers, source)
    const outcome = await this.#drive()
    run.questions.refuseAll(
      outcome.kind === 'failed' && outcome.error instanceof Error
        ? outcome.error
        : new CancelledError('the run stopped before the answer was taken'),
    )
    await run.unwind()
    const refused = run.unreadable ?? (await refusal)
    if (refused !== undefined && run.stop === undefined) {
      await this.#giveBack()
      throw refused.error
    }
    const result = await this.#end(outcome)
    // The caller's handler threw, or gave an answer that was refused: the thread rests, the caller is told.
    if (run.asker.failure !== undefined && result.status !== 'completed')
      throw run.asker.failure.error
    return result
  }

  async #drive(): Promise<Outcome> {
    return this.run.drive(this.#running.root, this.#running.body)
  }

  /** Hands the command's answers in; gives the reason if they are refused. */
  async #submit(
    answers: ReadonlyMap<string, unknown> | undefined,
    source: AnswerSource,
  ): Promise<{ readonly error: unknown } | undefined> {
    try {
      if (answers !== undefined && answers.size > 0)
        await this.run.questions.submit(answers, source, true)
      // What an earlier process left open is asked here too.
      this.run.asker.notify()
      return undefined
    } catch (error) {
      return { error }
    }
  }

  async #giveBack(): Promise<void> {
    const { held, threadId } = this.#start
    if (held === undefined) return
    await this.run.journal.save('refused')
    if (this.#persistence?.written === true)
      await this.run.journal.end(
        { status: held.status === 'running' ? 'suspended' : held.status },
        'refused',
      )
    else await held.store.release(threadId, held.fence)
  }

  async #end(outcome: Outcome): Promise<RunResult> {
    const { run } = this
    const status = statusAfter(outcome)
    const error = outcome.kind === 'failed' ? asError(outcome.error) : undefined
    const stopped = status === 'suspended' ? stoppedBy(run.stop) : undefined
    if (outcome.kind === 'finished') this.#keepOutput(outcome.value)
    await run.journal.end({ status, meta: this.#meta({ error, stopped }) }, status)
    run.emit([], {
      type: 'run:end',
      status,
      ...(error === undefined ? {} : { error: recordOf(error) }),
    })
    return {
      status,
      threadId: run.threadId,
      version: run.version,
      steps: run.steps,
      ...(outcome.kind === 'finished' ? { output: outcome.value } : {}),
      state: copyOf(this.#running.state()),
      interrupts: this.#open(),
      ...(error === undefined ? {} : { error }),
      ...(stopped === undefined ? {} : { stopped }),
    }
  }

  #keepOutput(output: unknown): void {
    const { journal } = this.run
    if (!journal.durable) return
    const record: RunRecord = { input: this.#start.input, output }
    encode(output, 'output')
    journal.put('run', textOf(record))
  }

  #meta(left: {
    error: Error | undefined
    stopped: { by: string; at: string } | undefined
  }): string {
    const { error: _error, stopped: _stopped, doubts: _doubts, ...meta } = this.#start.meta
    const doubts = this.run.questions.open().filter(({ kind }) => kind === 'doubt').length
    return textOf({
      ...meta,
      ...(doubts === 0 ? {} : { doubts }),
      steps: this.run.steps,
      ...(left.error === undefined ? {} : { error: recordOf(left.error) }),
      ...(left.stopped === undefined ? {} : { stopped: left.stopped }),
    })
  }

  #open(): Interrupt[] {
    return this.run.questions.open().map((row) => interruptOf(row, this.run.threadId))
  }

  /** An answer came in from outside just as the thread was to rest. */
  get woken(): boolean {
    return this.#persistence?.status === 'ready'
  }
}

/** Why an edit stops: not a stop that anybody asked for. */
const EDIT = 'edit'

function runOptions(start: SessionStart, store: StorePersistence | undefined): EngineOptions {
  const { options, command = {} } = start
  return {
    ...given(options),
    ...given({
      restored: start.restored,
      asked: start.asked,
      inDoubt: start.meta.inDoubt,
      update: command.update,
      goto: gotoOf(command),
    }),
    threadId: start.threadId,
    services: start.services,
    store,
    onEvent: start.onEvent,
    handler: options.onInterrupt,
    closed: start.held === undefined && options.onInterrupt === undefined,
    replayAlways: options.replay === 'always',
  }
}

function gotoOf({ goto }: ResumeCommand): readonly string[] | undefined {
  return goto === undefined ? undefined : [goto].flat()
}

/** What is there, without what is undefined. */
function given<T extends object>(options: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}

function statusAfter({ kind }: Outcome): RunStatus {
  if (kind === 'finished') return 'completed'
  return kind === 'failed' ? 'failed' : 'suspended'
}

function stoppedBy(stop: ThreadRun['stop']): { by: string; at: string } | undefined {
  return stop === undefined || stop.reason === EDIT ? undefined : { by: stop.reason, at: stop.at }
}

function asError(error: unknown): Error {
  return error instanceof Error
    ? error
    : new Error('something that is no error was thrown', { cause: error })
}
