import { safeJson } from '../terminal/safe.ts'

/** A value as JSON a person reads: 2 spaces, nothing a terminal would obey. */
export function prettyJson(value: unknown): string {
  return safeJson(JSON.stringify(showable(value, []), null, 2) ?? 'undefined')
}

/** {@link prettyJson} on one line. */
export function briefJson(value: unknown): string {
  return safeJson(JSON.stringify(showable(value, [])) ?? 'undefined')
}

/** A text as it is, everything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : prettyJson(value)
}

/** What JSON loses, in a form it keeps; only for showing, never for storing. */
function showable(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[circular]'
  return showableObject(value, [...above, value])
}

function showableObject(value: object, above: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((item) => showable(item, above))
  if (value instanceof Map) {
    return { Map: [...value].map((pair) => pair.map((item: unknown) => showable(item, above))) }
  }
  if (value instanceof Set) return { Set: [...value].map((item) => showable(item, above)) }
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (value instanceof RegExp || value instanceof URL) return String(value)
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, showable(item, above)]),
  )
}
