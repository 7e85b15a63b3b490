import type { JsonObject, JsonValue } from './json.ts'
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
  return isArray(json) ? `[${listText(json)}]` : `{${entriesText(json)}}`
}

function listText(list: readonly JsonValue[]): string {
  return list.map((element) => sortedText(element)).join(',')
}

function entriesText(json: JsonObject): string {
  let text = ''
  // Sorted by UTF-16 units: the same on every machine and in every language.
  for (const key of Object.keys(json).toSorted()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${sortedText(json[key] ?? null)}`
  }
  return text
}

function isArray(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}
