import { formatAddress } from '../core/address.ts'
import {
  InvalidAnswerError,
  ReplayMismatchError,
  StaleAnswerError,
  type Problem,
} from '../core/errors.ts'
import type { QuestionRow } from './question.ts'

/** The task was entered for an answer and did not come to its question. */
export function notReached(
  { kind, message, address }: QuestionRow,
  got: string,
): ReplayMismatchError {
  return new ReplayMismatchError(`${kind} "${message}"`, got, formatAddress(address) || 'the flow')
}

/** The question does not take this value. */
export function invalidError(
  row: QuestionRow,
  code: string,
  problems: readonly Problem[],
): InvalidAnswerError {
  return new InvalidAnswerError(
    code,
    `Question "${row.id}" (${row.message})`,
    problems,
    'Nothing changed: the question is still open.',
  )
}

/** The question is another than the one that was answered. */
export function staleError(old: QuestionRow, now: QuestionRow): StaleAnswerError {
  return new StaleAnswerError(
    old.id,
    {
      was: { message: old.message, payload: old.payload, digest: old.digest },
      now: { message: now.message, payload: now.payload, digest: now.digest },
    },
    `it asked ${JSON.stringify(old.message)}, it asks ${JSON.stringify(now.message)}`,
  )
}
