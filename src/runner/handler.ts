// A Handler is the desk between code that waits for an answer in this process and whoever gives one from
// elsewhere in it: a web request, a bot, a test. Threads that nobody runs any more are continued by it.
//
// Invariants:
//   1. A pending question is listed from the moment it is saved until its answer is handed over.
//   2. What a question does not accept changes nothing: it stays pending.

import type { InterruptDecision, InterruptHandler, RunResult } from '../core/command.ts'
import {
  AmbiguousAnswerError,
  InvalidAnswerError,
  isHexagonError,
  UnknownInterruptError,
  UnknownThreadError,
} from '../core/errors.ts'
import type { Flow } from '../core/flow.ts'
import type { Interrupt } from '../core/interrupt.ts'
import type { FlowFunction, ResumeOptions, RunOptions } from './launcher.ts'
import type { Run } from './run.ts'
import type { ThreadRunner } from './runner.ts'
import { Waiting } from './waiting.ts'

/** The part of a runner that a handler uses. */
export type HandledRunner = Pick<ThreadRunner, 'run' | 'resume' | 'pending' | 'cancel'>

export class Handler {
  readonly #runner: HandledRunner
  readonly #waiting = new Map<string, Waiting>()
  /** Decided here; the store may not know it yet. */
  readonly #decided = new Set<string>()

  constructor(runner: HandledRunner) {
    this.#runner = runner
  }

  /** Starts a thread whose questions wait here. */
  run(flow: Flow | FlowFunction, input?: unknown, options: RunOptions = {}): Run {
    return this.#runner.run(flow, input, { ...options, onInterrupt: this.onInterrupt })
  }

  /** Keeps the questions of a run until they are answered here; give it to any run. */
  readonly onInterrupt: InterruptHandler = (open, context): Promise<InterruptDecision> => {
    const [threadId = ''] = open.map((one) => one.threadId)
    const waiting = this.#waiting.get(threadId) ?? new Waiting((id) => this.#decided.add(id))
    this.#waiting.set(threadId, waiting)
    for (const { id } of open) if (!waiting.isDecided(id)) this.#decided.delete(id)
    return waiting.decide(open, context).finally(() => {
      if (waiting.isDone) this.#waiting.delete(threadId)
    })
  }

  /** The question that a thread has been waiting for longest, if any. */
  async getPending(threadId: string): Promise<Interrupt | undefined> {
    const [first] = await this.listPending(threadId)
    return first
  }

  /** What is asked: by runs that wait here, then by threads that rest in the store. */
  async listPending(threadId?: string): Promise<readonly Interrupt[]> {
    const here = [...this.#waiting]
      .filter(([id]) => threadId === undefined || id === threadId)
      .flatMap(([, waiting]) => waiting.open)
    const known = new Set(here.map(({ id }) => id))
    const stored = await this.#stored(threadId)
    if (threadId === undefined) this.#forget(stored)
    return [...here, ...stored.filter(({ id }) => !known.has(id) && !this.#decided.has(id))]
  }

  /**
   * Answers the only pending question of a thread, or several by id. A run that waits here goes on where
   * it is; a thread that rests is continued, and its result given.
   * @throws UnknownThreadError, AmbiguousAnswerError, InvalidAnswerError
   */
  async resume(
    threadId: string,
    value: unknown,
    options: ResumeOptions = {},
  ): Promise<RunResult | undefined> {
    const waiting = this.#waiting.get(threadId)
    if (waiting === undefined) return this.#continue(threadId, value, options)
    const answers = answersOf(waiting.open, value)
    for (const [id, answer] of Object.entries(answers)) {
      const problems = await waiting.check(id, answer)
      if (problems.length > 0)
        throw new InvalidAnswerError('E1203', `Question "${id}"`, problems, 'It is still pending.')
    }
    waiting.answer(answers)
    return undefined
  }

  /**
   * Takes the pending questions of a thread away, or one of them. Calls that wait here reject with
   * CancelledError; a thread that rests is closed.
   * @throws UnknownThreadError
   */
  async cancel(threadId: string, reason: string, id?: string): Promise<void> {
    const waiting = this.#waiting.get(threadId)
    if (waiting !== undefined) return waiting.cancel(reason, id)
    await this.#known(threadId, () => this.#runner.cancel(threadId, reason))
  }

  #continue(threadId: string, value: unknown, options: ResumeOptions): Promise<RunResult> {
    return this.#known(threadId, async () => {
      const open = await this.#stored(threadId)
      if (open.length === 0) return this.#runner.resume(threadId, { answer: value }, options).result
      return this.#runner.resume(threadId, { answers: answersOf(open, value) }, options).result
    })
  }

  /** Without a store there is no thread either. */
  async #known<T>(threadId: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (isNoStore(error)) throw new UnknownThreadError(threadId)
      throw error
    }
  }

  async #stored(threadId?: string): Promise<Interrupt[]> {
    const found: Interrupt[] = []
    let after: string | undefined
    try {
      do {
        const page = await this.#runner.pending({
          ...(threadId === undefined ? {} : { threadId }),
          ...(after === undefined ? {} : { after }),
        })
        found.push(...page.items.flatMap(({ interrupts }) => interrupts))
        after = page.next
      } while (after !== undefined)
    } catch (error) {
      if (!isNoStore(error)) throw error
    }
    return found
  }

  /** What the store no longer lists as open need not be remembered here. */
  #forget(stored: readonly Interrupt[]): void {
    const open = new Set(stored.map(({ id }) => id))
    for (const id of this.#decided) if (!open.has(id)) this.#decided.delete(id)
  }
}

/** A map by pending ids as it is; any other value answers the only question. */
function answersOf(open: readonly Interrupt[], value: unknown): Readonly<Record<string, unknown>> {
  const ids = new Set(open.map(({ id }) => id))
  if (isMap(value) && Object.keys(value).every((key) => ids.has(key))) return value
  if (isMap(value) && Object.keys(value).every((key) => key.startsWith('i_'))) {
    const unknown = Object.keys(value).find((key) => !ids.has(key)) ?? ''
    throw new UnknownInterruptError(unknown, open)
  }
  const [only, ...others] = open
  if (only === undefined) throw new UnknownInterruptError('', [])
  if (others.length > 0) throw new AmbiguousAnswerError(open)
  return { [only.id]: value }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0
  )
}

function isNoStore(error: unknown): boolean {
  return isHexagonError(error) && error.code === 'E2107'
}
