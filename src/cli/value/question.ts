import { formatAddress } from '../../core/address.ts'
import type { AnsweredInterrupt } from '../../core/command.ts'
import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  InterruptTimeoutError,
  UnknownInterruptError,
  type QuestionSummary,
} from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { nearest } from '../../core/nearest.ts'

const SHORTEST_PREFIX = 4

/** True when `name` is the question's id, `#ordinal`, key or address (joined by `;` or `/`). */
export function isNamed(question: Interrupt, name: string): boolean {
  return (
    question.id === name ||
    question.key === name ||
    `#${question.ordinal}` === name ||
    formatAddress(question.address, ';') === name ||
    formatAddress(question.address, '/') === name
  )
}

/** The questions of a thread as a name is looked up in them. */
export interface Questions {
  readonly open: readonly Interrupt[]
  readonly answered: readonly AnsweredInterrupt[]
}

/**
 * The one open question that `name` says: id, unique prefix of an id, `#n`, key or address.
 * @throws UnknownInterruptError, AlreadyAnsweredError, AmbiguousAnswerError, InterruptTimeoutError
 */
export function findQuestion(name: string, { open, answered }: Questions): Interrupt {
  const exact = open.filter((question) => isNamed(question, name))
  const found = exact.length > 0 ? exact : open.filter(({ id }) => isPrefix(name, id))
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first
  if (first !== undefined) throw new AmbiguousAnswerError(found.map(summary))
  const known = answered.findLast((question) => isNameOfClosed(question, name))
  if (known === undefined) throw unknownQuestion(name, open)
  if (known.status === 'expired') throw new InterruptTimeoutError(known.id, known.expiresAt ?? '')
  if (known.status === 'cancelled') throw new UnknownInterruptError(name, open.map(summary))
  throw new AlreadyAnsweredError(known.id, known, open.map(summary))
}

/** An id and a place are never given twice; a key and an address say the last question that had them. */
function isNameOfClosed({ id, ordinal, key, address }: AnsweredInterrupt, name: string): boolean {
  if (id === name || `#${ordinal}` === name || key === name) return true
  return (
    address !== undefined &&
    [';', '/'].some((separator) => formatAddress(address, separator) === name)
  )
}

/** A question as errors list it. */
export function summary({ id, kind, message }: Interrupt): QuestionSummary {
  return { id, kind, message }
}

function isPrefix(name: string, id: string): boolean {
  return name.startsWith('i_') && name.length >= SHORTEST_PREFIX && id.startsWith(name)
}

function unknownQuestion(name: string, open: readonly Interrupt[]): UnknownInterruptError {
  const near = nearest(
    name,
    open.flatMap(({ id, key }) => [id, key]),
  )
  const error = new UnknownInterruptError(name, open.map(summary))
  if (near !== undefined) Object.assign(error.details, { near })
  return error
}
