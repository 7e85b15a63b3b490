import { StaleVersionError } from '../core/errors.ts'
import type { AnswerRequest } from '../core/store.ts'
import type { AnswerChange } from './change.ts'
import { alreadyAnswered, QuestionEdits } from './question-check.ts'
import { wakes, type ThreadState } from './thread-state.ts'

/** What an answer leads to: a change, or nothing since the same request was carried out before. */
export type AnswerPlan =
  | { readonly kind: 'answer'; readonly change: AnswerChange; readonly woken: boolean }
  | { readonly kind: 'repeated' }

/**
 * Checks answers from outside, all or none.
 * @throws StaleVersionError, AlreadyAnsweredError, UnknownInterruptError
 */
export function planAnswer(state: ThreadState, request: AnswerRequest, at: string): AnswerPlan {
  if (isRepeated(state, request)) return { kind: 'repeated' }
  if (request.expectVersion !== undefined && request.expectVersion !== state.version) {
    throw new StaleVersionError(state.id, request.expectVersion, state.version)
  }
  const edits = new QuestionEdits(state)
  const { by, requestId, source } = request
  const answers = request.answers.map(({ id, value }) => {
    edits.settle(id, 'answered')
    return { id, answer: { value, source, by, at, requestId } }
  })
  const woken = answers.length > 0 && state.status === 'suspended' && wakes(state, edits.open)
  return { kind: 'answer', change: { kind: 'answer', at, answers }, woken }
}

/** A request whose reply was lost comes again; its sender is told that it succeeded. */
function isRepeated(state: ThreadState, { answers, requestId, by }: AnswerRequest): boolean {
  if (answers.length === 0) return false
  const isOwn = answers.map(({ id }) => {
    const row = state.interrupts.get(id)
    const isAnswered = row?.status === 'answered' || row?.status === 'consumed'
    return isAnswered && row?.answer?.requestId === requestId && row.answer.by === by
  })
  if (isOwn.every(Boolean)) return true
  const mixed = answers[isOwn.indexOf(true)]
  if (mixed !== undefined) throw alreadyAnswered(state, mixed.id)
  return false
}
