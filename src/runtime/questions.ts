// Questions is the desk of a run's questions: what asks, what is open, and what answers it.

import type { Address } from '../core/address.ts'
import type { Problem } from '../core/errors.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import { Answering } from './answering.ts'
import { Asking } from './asking.ts'
import type { Engine, Outcome, QuestionDesk, TaskFrame, TaskScope } from './engine.ts'
import { Entering } from './entering.ts'
import { doubtAgain } from './intent.ts'
import { OpenQuestions } from './open-questions.ts'
import { accept, checkShape, type Question, type QuestionRow } from './question.ts'
import type { Ending } from './raised.ts'

export class Questions implements QuestionDesk {
  readonly #run: Engine
  readonly #book: OpenQuestions
  readonly #entering: Entering
  readonly #answering: Answering
  readonly #asking: Asking

  constructor(run: Engine, asked: number) {
    this.#run = run
    this.#entering = new Entering(run)
    this.#book = new OpenQuestions(run, asked, (id) => void this.#answering.expire(id))
    this.#answering = new Answering(run, this.#book, this.#entering)
    const parts = { run, book: this.#book, entering: this.#entering, answering: this.#answering }
    this.#asking = new Asking(parts)
    for (const task of this.#book.restore()) this.#entering.target(task)
  }

  get targets(): ReadonlySet<string> {
    return this.#entering.targets
  }

  get coming(): ReadonlySet<string> {
    return this.#entering.coming
  }

  get commandRefused(): boolean {
    return this.#answering.commandRefused
  }

  /** True while a question is on its way to who is asked. */
  get opening(): boolean {
    return this.#book.saving
  }

  get submitting(): boolean {
    return this.#answering.submitting
  }

  /** How many questions the thread has opened, ever. */
  get asked(): number {
    return this.#book.asked
  }

  /** Places in `task` at which graphs were invoked that have an answer to take. */
  passages(task: string): Iterable<string> {
    return this.#entering.passages(task)
  }

  isOpen(id: string): boolean {
    return this.#book.get(id) !== undefined
  }

  isTaken(id: string): boolean {
    return this.#answering.isTaken(id)
  }

  /** Every open question, in the order they were opened. */
  open(): QuestionRow[] {
    return this.#book.all()
  }

  /** Open questions that are in the store (or would be, if there were one) and have no answer on its way. */
  saved(): QuestionRow[] {
    return this.open().filter(({ id }) => this.#book.isSaved(id) && !this.#answering.isTaken(id))
  }

  settled(): Promise<void> {
    return this.#answering.settled()
  }

  whenTaken(act: () => void): void {
    this.#answering.whenTaken(act)
  }

  refuseUnentered(): void {
    this.#answering.refuseUnentered()
  }

  refuseStranded(): void {
    this.#answering.refuseStranded()
  }

  ignoreDeadlines(): void {
    this.#book.ignoreDeadlines()
  }

  refuseAll(reason: Error): void {
    this.#answering.refuseAll(reason)
  }

  ask(scope: TaskScope, question: Question): Promise<unknown> {
    return this.#asking.ask(scope, question)
  }

  /** What is wrong with a value for an open question. */
  async check(id: string, value: unknown): Promise<readonly Problem[]> {
    const row = this.#book.get(id)
    if (row === undefined) return [{ path: '', message: 'the question is no longer open' }]
    const question = this.#book.leaves.get(id)?.question
    if (question === undefined) return checkShape(row, value)?.problems ?? []
    const accepted = await accept(question, value)
    return accepted.ok ? [] : accepted.problems
  }

  submit(
    answers: ReadonlyMap<string, unknown>,
    source: AnswerSource,
    decisive = false,
  ): Promise<void> {
    return this.#answering.submit(answers, source, decisive)
  }

  deliver(id: string, value: unknown, source: AnswerSource): Promise<void> {
    return this.#answering.deliver(id, value, source)
  }

  dismiss(id: string, reason: Error): Promise<void> {
    return this.#answering.dismiss(id, reason)
  }

  /** A frame has come to its end, or rests: what it has taken is known, and what it has not comes next. */
  reached(frame: TaskFrame, outcome: Outcome): void {
    this.#answering.missed(frame, outcome)
    if (outcome.kind === 'parked' || outcome.kind === 'failed') this.#book.see(frame)
    if (outcome.kind === 'failed') doubtAgain(frame)
    this.#entering.goOnLater(frame, outcome)
  }

  /** Opens what the components of an entry that ended ask. True when they ask something. */
  raise(frame: TaskFrame, outcome: Outcome): boolean {
    const { refused, thrown, escaped } = frame
    if (refused !== undefined) {
      this.#book.components.reopen(frame, refused.id)
      this.#run.asker.fail(refused.error)
    }
    if (thrown.length === 0 && escaped === undefined) return false
    return this.#book.components.raise(frame, thrown, endingOf(outcome, refused !== undefined))
  }

  openBreakpoint(at: { task: string; address: Address; message: string; payload: unknown }): void {
    this.#book.openBreakpoint(at)
  }

  waitsIn(task: string): boolean {
    return this.#book.waitsIn(task)
  }

  waitsForSignals(task: string): boolean {
    return this.#book.waitsForSignals(task)
  }

  cancelIn(task: string): void {
    this.#book.cancelIn(task)
  }
}

function endingOf({ kind }: Outcome, refused: boolean): Ending {
  if (kind === 'finished') return 'returned'
  return kind === 'failed' || refused ? 'failed' : 'raised'
}
