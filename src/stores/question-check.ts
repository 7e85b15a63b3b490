import {
  AlreadyAnsweredError,
  UnknownInterruptError,
  type QuestionSummary,
} from '../core/errors.ts'
import type { InterruptRow, JsonText } from '../core/store.ts'
import { isClosed, openOf, type ThreadState } from './thread-state.ts'

type RowStatus = InterruptRow['status']

/** How many open questions an error lists. */
const LISTED = 100

/** The questions as they will be once the edits made so far are carried out. */
export class QuestionEdits {
  readonly #state: ThreadState
  readonly #edited = new Map<string, RowStatus>()
  /** Questions that will be open. */
  open: number
  /** Questions whose answers will wait to be used. */
  answered: number

  constructor(state: ThreadState) {
    this.#state = state
    this.open = state.open
    this.answered = state.answered
  }

  /** The status a question will have; undefined when nobody knows it. */
  statusOf(id: string): RowStatus | undefined {
    return this.#edited.get(id) ?? this.#state.interrupts.get(id)?.status
  }

  /** Notes the next status of a question. */
  set(id: string, status: RowStatus): void {
    this.#count(this.statusOf(id), -1)
    this.#count(status, 1)
    this.#edited.set(id, status)
  }

  #count(status: RowStatus | undefined, by: 1 | -1): void {
    if (status === 'open') this.open += by
    if (status === 'answered') this.answered += by
  }

  /** Closes an open question. @throws AlreadyAnsweredError, UnknownInterruptError */
  settle(id: string, next: 'answered' | 'expired'): void {
    const status = this.statusOf(id)
    if (status === 'answered' || status === 'consumed') throw alreadyAnswered(this.#state, id)
    if (status !== 'open' || isClosed(this.#state.status)) throw unknownQuestion(this.#state, id)
    this.set(id, next)
  }
}

/** The error for a question that has its answer; says whose and when, as far as known. */
export function alreadyAnswered(state: ThreadState, id: string): AlreadyAnsweredError {
  const answer = state.interrupts.get(id)?.answer
  return new AlreadyAnsweredError(id, { by: answer?.by, at: answer?.at }, summaries(state))
}

/** The error for a question that isn't open, with those that are. */
export function unknownQuestion(state: ThreadState, id: string): UnknownInterruptError {
  return new UnknownInterruptError(id, summaries(state))
}

function summaries(state: ThreadState): QuestionSummary[] {
  if (isClosed(state.status)) return []
  return openOf(state)
    .slice(0, LISTED)
    .map(({ id, kind, body }) => ({ id, kind, message: messageIn(body) }))
}

/** The question's text, if its body happens to be an object that has one: only for the hint of an error. */
export function messageIn(body: JsonText): string {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || !('message' in value)) return ''
    return typeof value.message === 'string' ? value.message : ''
  } catch {
    return ''
  }
}
