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
      return value === undefined ? [] : [[name, encode(value)]]
    } catch {
      return []
    }
  })
  return Object.fromEntries(kept)
}
