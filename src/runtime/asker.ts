// The Asker hands open questions to the caller's handler, one call at a time, and takes its answers.
//
// Invariants:
//   1. A question is handed over only when it is saved.
//   2. A deferred question is not handed over again in this run.

import type { InterruptDecision, InterruptHandler } from '../core/command.ts'
import {
  AlreadyAnsweredError,
  CancelledError,
  InvalidAnswerError,
  messageOf,
  type Problem,
} from '../core/errors.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import { runInScope } from './carrier.ts'
import type { AskerDesk, Engine } from './engine.ts'
import { interruptOf, type QuestionRow } from './question.ts'

type Answers = Readonly<Record<string, unknown>>

/** How a handler hears what came of its answers. */
type Tell = (refusal?: InvalidAnswerError) => void

export class Asker implements AskerDesk {
  readonly #run: Engine
  readonly #handler: InterruptHandler | undefined
  readonly #deferred = new Set<string>()
  #busy = false
  #news = false
  #closed = false
  #abort: AbortController | undefined
  /** What the handler threw, or why its answer was refused. */
  failure: { readonly error: unknown } | undefined

  constructor(run: Engine, handler: InterruptHandler | undefined) {
    this.#run = run
    this.#handler = handler
  }

  get busy(): boolean {
    return this.#busy
  }

  /** New questions are saved: asks them unless somebody is being asked already. */
  notify(): void {
    if (this.#handler === undefined || this.#closed) return
    this.#news = true
    if (this.#busy) return
    this.#busy = true
    // Questions of one superstep open together: let the rest of them arrive first.
    runInScope(undefined, () => setImmediate(() => void this.#ask()))
  }

  /** No more asking; what is on the screen is taken away. */
  close(reason: string): void {
    this.#closed = true
    this.#abort?.abort(new CancelledError(reason))
  }

  /** An answer was of no use to its component: nobody is asked again in this run. */
  fail(error: unknown): void {
    this.failure ??= { error }
    this.close(messageOf(error))
  }

  /** Questions were answered elsewhere: takes them away if they are being asked. */
  withdraw(reason: Error): void {
    this.#abort?.abort(reason)
  }

  async #ask(): Promise<void> {
    try {
      // What opens while the last look ends is news: it is looked at once more.
      while (!this.#closed && this.#news) {
        this.#news = false
        while (!this.#closed && (await this.#round()));
      }
    } catch (error) {
      // An answer that a stop overtook is not the handler's fault: its question is still open.
      if (this.#run.stop === undefined) this.failure = { error }
      this.#closed = true
    } finally {
      this.#busy = false
      this.#run.changed()
    }
  }

  async #round(): Promise<boolean> {
    const open = this.#run.questions.saved().filter(({ id }) => !this.#deferred.has(id))
    if (open.length === 0 || this.#handler === undefined) return false
    this.#abort = new AbortController()
    let tell: Tell | undefined
    const decision = await this.#handler(
      open.map((row) => interruptOf(row, this.#run.threadId)),
      {
        signal: this.#abort.signal,
        check: (id, value) => this.#check(id, value),
        outcome: (told) => (tell = told),
      },
    )
    const { answers: given, source, cancel = {} } = readDecision(decision)
    for (const [id, reason] of Object.entries(cancel)) {
      await this.#run.questions.dismiss(id, new CancelledError(reason))
    }
    const withdrawn = this.#abort.signal.aborted
    const answers = withdrawn ? this.#inTime(given, open) : given
    if (Object.keys(answers).length > 0) {
      await this.#submit(answers, { via: 'call', ...source }, tell)
    } else if (Object.keys(cancel).length === 0 && !(withdrawn && decision !== 'defer')) {
      // Nothing came, and not because one of them was answered elsewhere: they are put off.
      this.#defer(open)
    }
    return true
  }

  /**
   * Somebody outside may have been quicker, and is not heard of yet: the others are asked again. So is a handler
   * that hears of a refusal.
   */
  async #submit(answers: Answers, source: AnswerSource, tell: Tell | undefined): Promise<void> {
    try {
      await this.#run.questions.submit(new Map(Object.entries(answers)), source)
      tell?.()
    } catch (error) {
      if (tell !== undefined && error instanceof InvalidAnswerError) return tell(error)
      if (!(error instanceof AlreadyAnsweredError)) throw error
      const row = this.#run.questions.saved().find(({ id }) => id === error.details['interruptId'])
      if (row === undefined) return
      this.#deferred.add(row.id)
      this.#warnLate(row)
    }
  }

  #defer(asked: readonly QuestionRow[]): void {
    for (const { id } of asked) if (this.#run.questions.isOpen(id)) this.#deferred.add(id)
  }

  /** Without answers to what was taken away meanwhile: they came too late, and that is told. */
  #inTime(given: Answers, asked: readonly QuestionRow[]): Answers {
    const left = new Set(this.#run.questions.saved().map(({ id }) => id))
    const late = asked.filter(({ id }) => id in given && !left.has(id))
    for (const row of late) this.#warnLate(row)
    const gone = new Set(late.map(({ id }) => id))
    return Object.fromEntries(Object.entries(given).filter(([id]) => !gone.has(id)))
  }

  #warnLate({ id, address }: QuestionRow): void {
    const message = `Question "${id}" was no longer open; this answer came too late and was not used`
    this.#run.emit(address, { type: 'warning', code: 'E1408', message })
  }

  async #check(id: string, value: unknown): Promise<readonly Problem[]> {
    return this.#run.questions.check(id, value)
  }
}

interface Decided {
  readonly answers: Answers
  readonly source?: AnswerSource
  readonly cancel?: Readonly<Record<string, string>>
}

const DECISION_PARTS: ReadonlySet<string> = new Set(['answers', 'source', 'cancel'])

/** Both shapes of a decision: a map of answers, or answers with what goes with them. */
function readDecision(decision: InterruptDecision): Decided {
  if (decision === undefined || decision === null || decision === 'defer') return { answers: {} }
  const structured =
    'answers' in decision && Object.keys(decision).every((key) => DECISION_PARTS.has(key))
  return structured ? (decision as unknown as Decided) : { answers: decision }
}
