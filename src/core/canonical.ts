import type { JsonValue } from './json.ts'
import { encodeFor } from './value/encoder.ts'

/**
 * One text for all values that are equal, and another for any other: what a digest is taken of. Keys
 * are sorted; maps and sets keep their order; the stack of an error does not count.
 *
 * @throws SerializationError for what can't be kept, with its path from `path`.
 */
export function canonical(value: unknown, path = 'value'): string {
  return sortedText(encodeFor('identity', value, path))
}

function sortedText(json: JsonValue): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (isArray(json)) return `[${json.map((element) => sortedText(element)).join(',')}]`
  const entries = Object.entries(json).toSorted(byKey)
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${sortedText(value)}`).join(',')}}`
}

/** In the order of UTF-16 units: the same on every machine and in every language. */
function byKey([a]: [string, JsonValue], [b]: [string, JsonValue]): number {
  return a < b ? -1 : 1
}

function isArray(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}
