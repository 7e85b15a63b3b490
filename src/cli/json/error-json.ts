import { encode } from '../../core/codec.ts'
import { isHexagonError, messageOf } from '../../core/errors.ts'
import type { ErrorRecord } from '../../core/event.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'

/** An error for programs: code, message, hint and plain details. */
export function errorJson(error: unknown): JsonObject {
  if (!isHexagonError(error)) {
    return { code: 'E1499', message: messageOf(error), hint: null, details: {} }
  }
  return {
    code: error.code,
    message: error.message,
    hint: error.hint ?? null,
    details: plain(error.details),
  }
}

/** An error as a thread keeps it, in the same form. */
export function recordJson(record: ErrorRecord): JsonObject {
  return {
    code: record.code ?? 'E1401',
    message: record.message,
    hint: record.hint ?? null,
    details: { name: record.name },
  }
}

/** Details are for reading: what can't be kept is left out rather than hiding the error itself. */
function plain(details: Readonly<Record<string, unknown>>): JsonValue {
  const kept = Object.entries(details).flatMap(([name, value]): [string, JsonValue][] => {
    try {
      return value === undefined ? [] : [[name, encode(withoutNothing(value))]]
    } catch {
      return []
    }
  })
  return Object.fromEntries(kept)
}

/** Fields that hold nothing, as a question without a payload has one, are left out of a detail as they are of a document. */
function withoutNothing(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined))
}
