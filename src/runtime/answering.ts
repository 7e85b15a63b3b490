// Answering takes answers: from the command, a handler, another process, or a deadline.
//
// Invariants:
//   1. An answer counts only when every answer given with it was accepted and all are saved together.
//   2. A question takes one answer: what comes while one is on its way is refused.

import { encode } from '../core/codec.ts'
import {
  AlreadyAnsweredError,
  CancelledError,
  InterruptTimeoutError,
  UnknownInterruptError,
} from '../core/errors.ts'
import type { AnswerSource } from '../core/interrupt.ts'
import type { Engine, Leaf, Outcome, TaskFrame } from './engine.ts'
import type { Entering } from './entering.ts'
import type { OpenQuestions } from './open-questions.ts'
import { accept, checkShape, type QuestionRow } from './question.ts'
import { invalidError, notReached } from './refusal.ts'
import { lineage } from './restored.ts'
import { Submission } from './submission.ts'

/** What a waiting call gets. */
type Came = { readonly value: unknown } | { readonly error: unknown }

const STOPPED = 'the run stopped before the answer was taken'

/** Who answers by a default. */
const TIMEOUT: AnswerSource = { via: 'timeout', by: 'timeout' }

export class Answering {
  readonly #run: Engine
  readonly #book: OpenQuestions
  readonly #entering: Entering
  readonly #submissions = new Set<Submission>()
  /** Questions whose time is up and that are being settled. */
  readonly #expiring = new Set<string>()
  #decisive: Submission | undefined

  constructor(run: Engine, book: OpenQuestions, entering: Entering) {
    this.#run = run
    this.#book = book
    this.#entering = entering
  }

  /** True when the command that started this stretch was refused: what its tasks did counts for nothing. */
  get commandRefused(): boolean {
    return this.#decisive?.refused === true
  }

  get submitting(): boolean {
    return this.#submissions.size > 0 || this.#expiring.size > 0
  }

  /** True while an answer of `id` is on its way. */
  isTaken(id: string): boolean {
    if (this.#expiring.has(id)) return true
    for (const { answers } of this.#submissions) if (answers.has(id)) return true
    return false
  }

  /**
   * Resolves when every answer on its way is accepted and saved, or refused; rejects when the command's are refused.
   * The refusal of any other is for whoever gave it, and leaves its question open.
   */
  async settled(): Promise<void> {
    for (const submission of this.#submissions) {
      const isDecisive = submission === this.#decisive
      await submission.done.catch((error: unknown) => {
        if (isDecisive) throw error
      })
    }
  }

  /** Runs `act` when the command's answers are taken, before anything goes on with them. */
  whenTaken(act: () => void): void {
    this.#decisive?.before(act)
  }

  /** Nothing goes on any more: answers whose call did not come to ask for them are refused. */
  refuseStranded(): void {
    for (const submission of this.#submissions) {
      const [id] = submission.offered ? submission.missing : []
      const row = id === undefined ? undefined : this.#book.get(id)
      if (row !== undefined) submission.refuse(notReached(row, 'another stop'))
    }
  }

  /** The run stops, so no task is entered any more: an answer whose call would have to come first is refused. */
  refuseUnentered(): void {
    for (const submission of this.#submissions) {
      if (submission.offered && [...submission.missing].some((id) => !this.#isEntered(id)))
        submission.refuse(new CancelledError(STOPPED))
    }
  }

  #isEntered(id: string): boolean {
    const row = this.#book.get(id)
    return row !== undefined && this.#entering.frameOf(row.task)?.status === 'live'
  }

  /** Answers that are not accepted yet never will be: the run is over. */
  refuseAll(reason: Error): void {
    for (const submission of this.#submissions) submission.refuse(reason)
  }

  /**
   * Takes answers: all of them are accepted and saved, or none. A call that waits in this process is
   * checked at once; a task of an earlier process is entered again, and its call checks when it comes to it.
   * The run stands and falls with a `decisive` set: refused, it leaves the thread as it was.
   */
  async submit(
    answers: ReadonlyMap<string, unknown>,
    source: AnswerSource,
    decisive = false,
  ): Promise<void> {
    const submission = new Submission(answers)
    if (decisive) this.#decisive = submission
    this.#submissions.add(submission)
    try {
      await Promise.all([...answers].map(([id, value]) => this.#offer(submission, id, value)))
      submission.offered = true
      if (this.#run.stop !== undefined) this.refuseUnentered()
      this.#run.changed()
      await submission.verified
      await this.#commit(submission, source)
      submission.finish()
    } catch (error) {
      submission.refuse(error)
      throw error
    } finally {
      this.#submissions.delete(submission)
      for (const id of answers.keys()) this.#book.watch(id)
      this.#run.changed()
    }
  }

  /** The time of a question is up: its default answers it, or its call is told. One that is being answered is left. */
  async expire(id: string): Promise<void> {
    const row = this.#book.get(id)
    const isTaken = [...this.#submissions].some(({ answers }) => answers.has(id))
    if (row === undefined || isTaken || this.#run.stop !== undefined) return
    this.#expiring.add(id)
    this.#run.asker.withdraw(new InterruptTimeoutError(id, row.expiresAt ?? ''))
    try {
      if ('default' in row) await this.submit(new Map([[id, row.default]]), TIMEOUT)
      else await this.#endUnanswered(row)
    } catch {
      // A default that the flow does not accept answers nothing.
      if (this.#book.get(id) !== undefined && this.#run.stop === undefined)
        await this.#endUnanswered(row)
    } finally {
      this.#expiring.delete(id)
      this.#run.changed()
    }
  }

  async #endUnanswered(row: QuestionRow): Promise<void> {
    const { journal } = this.#run
    const submission = new Submission(new Map([[row.id, undefined]]))
    submission.accept(row.id, () => this.#giveUp(row))
    this.#submissions.add(submission)
    try {
      await journal.contend('deadline', ({ expire }) => expire.push(row.id))
      this.#keep(row, { expired: true })
      this.#book.leaves.get(row.id)?.frame.questions.delete(row.id)
      this.#book.closeRow(row)
      this.#run.emit(row.address, { type: 'interrupt:closed', id: row.id, reason: 'expired' })
      submission.finish()
    } catch (error) {
      submission.refuse(error)
    } finally {
      this.#submissions.delete(submission)
      this.#run.changed()
    }
  }

  /** Takes a question of a waiting call away for good: the call rejects with `reason`. */
  async dismiss(id: string, reason: Error): Promise<void> {
    const leaf = this.#book.leaves.get(id)
    if (leaf === undefined) throw new UnknownInterruptError(id, this.#book.all())
    const { frame, row } = leaf
    this.#book.cancel(row)
    await this.#run.journal.save('cancelled')
    frame.questions.delete(id)
    frame.memo.delete(row.path)
    this.goOn(id, { error: reason })
  }

  /** Tells the call of a question whose time was up. */
  #giveUp(row: QuestionRow): void {
    const leaf = this.#book.leaves.get(row.id)
    if (leaf === undefined) this.#entering.unlessOnItsWay(row)
    else this.#resume(leaf, { error: new InterruptTimeoutError(row.id, row.expiresAt ?? '') })
  }

  /** What came of a question is put where its call looks for it when it is not here. */
  #keep(row: QuestionRow, came: { answer: { value: unknown } } | { expired: true }): void {
    const frame = this.#book.leaves.get(row.id)?.frame ?? this.#entering.frameOf(row.task)
    const entry = frame?.memo.get(row.path)
    if (entry?.kind === 'question') Object.assign(entry, came)
    const stored = this.#run.restored.questions.get(row.task) ?? []
    for (const question of stored) if (question.row.id === row.id) Object.assign(question, came)
  }

  async #offer(submission: Submission, id: string, value: unknown): Promise<void> {
    const row = this.#book.get(id)
    if (row === undefined) throw new UnknownInterruptError(id, this.#book.all())
    if ([...this.#submissions].some((other) => other !== submission && other.answers.has(id)))
      throw new AlreadyAnsweredError(id, {})
    const leaf = this.#book.leaves.get(id)
    if (leaf === undefined) {
      const refused = checkShape(row, value)
      if (refused !== undefined) throw invalidError(row, refused.code, refused.problems)
      if (row.asked === 'call') this.#entering.unlessOnItsWay(row)
      else this.#acceptLater(submission, row)
      return
    }
    const accepted = await accept(leaf.question, value)
    if (!accepted.ok) throw invalidError(row, accepted.code ?? 'E1203', accepted.problems)
    submission.accept(id, () => this.#resume(leaf, { value: accepted.value }))
  }

  #acceptLater(submission: Submission, row: QuestionRow): void {
    for (const id of lineage(row.task)) this.#entering.coming.add(id)
    submission.accept(row.id, () => this.#entering.next(row))
  }

  async #commit(submission: Submission, source: AnswerSource): Promise<void> {
    const { journal, services, threadId } = this.#run
    const at = new Date(services.clock()).toISOString()
    const by = source.by ?? source.osUser ?? 'unknown'
    const texts = [...submission.answers].map(([id, value]) => {
      const row = this.#book.get(id)
      if (row === undefined) throw new UnknownInterruptError(id, this.#book.all())
      return { row, value: journal.durable ? JSON.stringify(encode(value, 'answer')) : '' }
    })
    await journal.contend('answer', (changes) => {
      for (const { row, value } of texts) {
        const from = JSON.stringify({ ...source, digest: row.digest, validated: true })
        const requestId = `${threadId}/${row.id}`
        changes.answer.push({ id: row.id, answer: { value, source: from, by, at, requestId } })
        if (row.asked === 'breakpoint') changes.consume.push(row.id)
      }
    })
    for (const id of submission.answers.keys()) this.#take(id, submission.answers.get(id), source)
  }

  /** A breakpoint's answer has no call to go to: its task goes on, and that is all. */
  #usedUp(row: QuestionRow): void {
    if (row.asked === 'breakpoint') this.#run.journal.close(row.id, 'consume')
  }

  #take(id: string, value: unknown, source: AnswerSource): void {
    const row = this.#book.get(id)
    if (row === undefined) return
    this.#book.components.take(id, value)
    this.#book.closeRow(row)
    const frame = this.#book.leaves.get(id)?.frame
    frame?.questions.delete(id)
    const entry = frame?.memo.get(row.path)
    if (entry?.kind === 'question') entry.answer = { value }
    this.#run.emit(row.address, {
      type: 'interrupt:answered',
      id,
      ...shownSource(source),
      ...(row.secret === true ? {} : { value: encode(value) }),
    })
  }

  /** An answered call goes on: it returns, or its task is entered again from its top. */
  #resume(leaf: Leaf, came: Came): void {
    const { frame, row } = leaf
    if (
      this.#run.options.replayAlways === true ||
      frame.status === 'ended' ||
      frame.status === 'fenced'
    ) {
      // Its call is gone, or must not be trusted to go on: the task is entered again from its top.
      this.#book.leaves.delete(row.id)
      this.#entering.next(row)
      return
    }
    this.goOn(row.id, came)
  }

  /** The call that waits for `id` returns or rejects, as soon as its task has its turn. */
  goOn(id: string, came: Came): void {
    const leaf = this.#book.leaves.get(id)
    if (leaf === undefined) return
    this.#book.leaves.delete(id)
    leaf.frame.leaves.delete(id)
    const turn = leaf.frame.wake(leaf.depth)
    const settle = (): void =>
      'error' in came ? leaf.reject(came.error) : leaf.resolve(came.value)
    if (turn === undefined) settle()
    else void turn.then(settle)
  }

  /** An answer that somebody stored while this run goes on. Its call takes it now, or asks again if it can't. */
  async deliver(id: string, value: unknown, source: AnswerSource): Promise<void> {
    const row = this.#book.get(id)
    const leaf = this.#book.leaves.get(id)
    if (row === undefined) return
    const accepted = leaf === undefined ? undefined : await accept(leaf.question, value)
    if (accepted?.ok === false) {
      this.#book.save(row)
      return
    }
    this.#take(id, value, source)
    this.#usedUp(row)
    this.#run.asker.withdraw(new Error(`answered by ${source.by ?? 'somebody else'}`))
    if (leaf !== undefined) this.#resume(leaf, { value: accepted?.value })
    else this.#enterFor(row, value)
  }

  /** Nothing waits for the answer here: the task is entered for it. */
  #enterFor(row: QuestionRow, value: unknown): void {
    if (row.asked === 'component') return this.#entering.next(row)
    this.#keep(row, { answer: { value } })
    this.#entering.unlessOnItsWay(row)
  }

  submissionOf(id: string): Submission | undefined {
    for (const submission of this.#submissions) if (submission.expects(id)) return submission
    return undefined
  }

  /** A frame that was entered to take an answer ended or parked without asking for it. */
  missed(frame: TaskFrame, outcome: Outcome): void {
    if (this.#submissions.size === 0 || outcome.kind === 'abandoned') return
    for (const row of frame.questions.values()) {
      const submission = this.submissionOf(row.id)
      if (submission === undefined || this.#book.leaves.has(row.id)) continue
      const got = outcome.kind === 'finished' ? 'the end of the task' : 'another stop'
      submission.refuse(outcome.kind === 'failed' ? outcome.error : notReached(row, got))
    }
  }
}

function shownSource({
  by,
  via,
  unseen,
}: AnswerSource): Pick<AnswerSource, 'by' | 'via' | 'unseen'> {
  return {
    ...(by === undefined ? {} : { by }),
    ...(via === undefined ? {} : { via }),
    ...(unseen === true ? { unseen } : {}),
  }
}
