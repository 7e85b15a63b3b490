import { isHexagonError } from '../core/errors.ts'
import type { ErrorRecord } from '../core/event.ts'

/** Anything thrown, as plain data. */
export function recordOf(error: unknown): ErrorRecord {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  return {
    name: error.name,
    message: error.message,
    ...(isHexagonError(error)
      ? { code: error.code, ...(error.hint === undefined ? {} : { hint: error.hint }) }
      : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
  }
}

/** The error that {@link recordOf} told of, as far as it is stored. */
export function errorOf(stored: unknown): Error {
  const {
    name = 'Error',
    message = '',
    stack,
  } = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Error>
  const error = new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return error
}
