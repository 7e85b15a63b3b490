import type { JsonValue } from './json.ts'
import { Decoder, StoredValueError } from './value/decoder.ts'
import { encodeFor } from './value/encoder.ts'
import { isPlain } from './value/tag.ts'
import { Trail } from './value/trail.ts'

/**
 * A value as JSON. Plain JSON comes back as it is, by reference; anything else as a copy in which what
 * JSON can't say is tagged. References to one object are written out each time.
 *
 * @throws SerializationError for what can't be kept, with its path from `path`.
 */
export function encode(value: unknown, path = 'value'): JsonValue {
  if (isPlain(value)) return value
  return encodeFor('storage', value, path)
}

/**
 * The value that {@link encode} wrote. Parts without tags are kept by reference.
 *
 * @throws StoredValueError for an unknown tag or one that does not fit its value; never a part.
 */
export function decode(json: JsonValue, where = 'value'): unknown {
  if (isPlain(json)) return json
  return new Decoder(new Trail(where, unreadable)).decode(json)
}

function unreadable(path: string, problem: string, cause?: unknown): StoredValueError {
  return new StoredValueError(path, problem, { cause })
}

export { StoredValueError }
