// Asking is what `interrupt()` does at a place of a task: it opens a question, or finds it again.
//
// Invariant: an answer is bound to the digest of what was shown. If the call now asks something else, the
// answer is void and the question is open again, under the same id.

import { formatAddress, segmentKey } from '../core/address.ts'
import { encode } from '../core/codec.ts'
import {
  InterruptTimeoutError,
  NoScopeError,
  NoStoreError,
  ReplayMismatchError,
} from '../core/errors.ts'
import type { Answering } from './answering.ts'
import type { Engine, Leaf, TaskScope } from './engine.ts'
import type { Entering } from './entering.ts'
import type { Memo } from './memo.ts'
import type { OpenQuestions } from './open-questions.ts'
import { accept, digestOf, rowOf, type Question, type QuestionRow } from './question.ts'
import { invalidError, staleError } from './refusal.ts'
import { createSignal } from './signal.ts'

type QuestionMemo = Extract<Memo, { kind: 'question' }>

/** What asking works with. */
export interface AskingParts {
  readonly run: Engine
  readonly book: OpenQuestions
  readonly entering: Entering
  readonly answering: Answering
}

export class Asking {
  readonly #run: Engine
  readonly #book: OpenQuestions
  readonly #entering: Entering
  readonly #answering: Answering

  constructor({ run, book, entering, answering }: AskingParts) {
    this.#run = run
    this.#book = book
    this.#entering = entering
    this.#answering = answering
  }

  /** Asks at a place of a task: gives the answer, now or when it comes. */
  async ask(scope: TaskScope, question: Question): Promise<unknown> {
    const { frame } = scope
    const name = `interrupt ${question.kind}`
    if (scope.unaskable !== undefined) throw new NoScopeError(name, scope.unaskable)
    frame.guard()
    // Behind a call that was unwound nothing is asked: it comes when that one has its answer.
    if (frame.unwound) throw createSignal({ id: '', address: scope.address, info: undefined })
    const path = placeOf(scope, question)
    // What is inside a step that is over is not called again, so it has no position.
    const order = scope.steps === 0 ? frame.calls++ : frame.calls
    const entry = frame.memo.get(path)
    if (entry?.kind !== 'question') return this.#openNew(scope, question, { path, order })
    this.#entering.arrived(entry.row)
    if (entry.expired === true)
      throw new InterruptTimeoutError(entry.row.id, entry.row.expiresAt ?? '')
    if (entry.answer !== undefined) return this.#replay(scope, question, entry)
    return this.#askAgain(scope, question, entry)
  }

  #openNew(
    scope: TaskScope,
    question: Question,
    at: { path: string; order: number },
  ): Promise<unknown> {
    const { frame } = scope
    const { clock, ids, hash } = this.#run.services
    if (this.#run.options.closed === true) {
      const where = formatAddress(scope.address) || 'the flow'
      throw new NoStoreError(`${where} asks "${question.message}": waiting for a person`)
    }
    encode(question.payload, 'payload')
    const row = rowOf(question, {
      id: ids.interrupt(),
      ordinal: this.#book.nextOrdinal(),
      task: frame.id,
      path: at.path,
      address: scope.address,
      key: question.key ?? formatAddress(scope.address, '/'),
      digest: digestOf(question, hash),
      now: clock(),
    })
    frame.memo.set(at.path, { kind: 'question', row, ...(frame.idle ? { order: at.order } : {}) })
    return this.#wait(scope, { question, row })
  }

  async #replay(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    const { row, answer } = entry
    if (row.kind !== question.kind) {
      throw new ReplayMismatchError(
        `${row.kind} "${row.message}"`,
        `${question.kind} "${question.message}"`,
        formatAddress(scope.address) || 'the flow',
      )
    }
    if (this.#isChanged(row, question)) return this.#reopen(scope, question, entry)
    const accepted = await this.#accept(scope, question, answer?.value)
    if (accepted.ok) return accepted.value
    return this.#reopen(scope, question, entry)
  }

  /** Checks an answer where its call is: the task does not park over a check. */
  async #accept(scope: TaskScope, question: Question, value: unknown): ReturnType<typeof accept> {
    scope.frame.begin()
    try {
      return await accept(question, value)
    } finally {
      scope.frame.done()
    }
  }

  #isChanged(row: QuestionRow, question: Question): boolean {
    return (
      question.onChange !== 'accept' && digestOf(question, this.#run.services.hash) !== row.digest
    )
  }

  /** The answer is void: the same id asks what is asked now. */
  #reopen(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    return this.#wait(scope, { question, row: this.#replaceRow(question, entry) })
  }

  #replaceRow(question: Question, entry: QuestionMemo): QuestionRow {
    const { row } = entry
    const { clock, hash } = this.#run.services
    const digest = digestOf(question, hash)
    const next = rowOf(
      question,
      { ...row, digest, now: clock() },
      digest === row.digest ? undefined : row,
    )
    entry.row = next
    delete entry.answer
    return next
  }

  /** A question of an earlier process is asked again: still open, or being answered right now. */
  async #askAgain(scope: TaskScope, question: Question, entry: QuestionMemo): Promise<unknown> {
    const submission = this.#answering.submissionOf(entry.row.id)
    const changed = this.#isChanged(entry.row, question) || entry.row.kind !== question.kind
    const old = entry.row
    if (changed) this.#replaceRow(question, entry)
    if (submission === undefined)
      return this.#wait(scope, { question, row: entry.row, known: !changed })
    if (changed) {
      submission.refuse(staleError(old, entry.row))
      return this.#wait(scope, { question, row: entry.row })
    }
    const value = submission.value(old.id)
    const accepted = await this.#accept(scope, question, value)
    if (!accepted.ok) {
      submission.refuse(invalidError(old, accepted.code ?? 'E1203', accepted.problems))
      return this.#wait(scope, { question, row: old, known: true })
    }
    // Others may still have to be asked for their answers: until then this call waits like any other.
    const answer = this.#wait(scope, { question, row: old, known: true })
    submission.accept(old.id, () => this.#answering.goOn(old.id, { value: accepted.value }))
    return answer
  }

  /** Waits as a leaf; `known` when the stored row is already this one. */
  #wait(
    scope: TaskScope,
    { question, row, known = false }: { question: Question; row: QuestionRow; known?: boolean },
  ): Promise<unknown> {
    const { frame } = scope
    frame.guard()
    frame.questions.set(row.id, row)
    this.#book.setOpen(row)
    const answer = new Promise<unknown>((resolve, reject) => {
      const leaf: Leaf = { frame, row, question, resolve, reject, depth: scope.steps }
      this.#book.leaves.set(row.id, leaf)
      frame.leaves.set(row.id, leaf)
    })
    frame.wait(scope.steps)
    if (known) {
      if (this.#book.isSaved(row.id)) this.#run.asker.notify()
    } else this.#book.save(row)
    return answer
  }
}

function placeOf(scope: TaskScope, { key }: Question): string {
  if (key !== undefined) return scope.place(segmentKey({ type: 'interrupt', id: key }))
  return scope.path + segmentKey({ type: 'interrupt', id: String(scope.ordinal('interrupt')) })
}
