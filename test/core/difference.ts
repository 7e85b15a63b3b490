/** Where two values first differ, `undefined` for equal ones: -0 is not 0, prototypes and the order of
 * maps and sets count, the order of keys does not. Knows nothing of the code under test. */
export function difference(a: unknown, b: unknown, path = 'value'): string | undefined {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return Object.is(a, b) ? undefined : `${path} is another ${typeof a}`
  }
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: other prototype`
  const inside = insideOf(a)
  if (inside === undefined) return properties(a, b, path)
  return difference(inside, insideOf(b), path) ?? properties(a, b, path)
}

/** What a value holds beside its properties. */
function insideOf(value: object): unknown {
  if (value instanceof Date) return value.getTime()
  if (value instanceof RegExp || value instanceof URL) return String(value)
  if (value instanceof Map || value instanceof Set) return [...value]
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)]
  if (!(value instanceof DataView)) return undefined
  return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)]
}

function properties(a: object, b: object, path: string): string | undefined {
  const keys = keysOf(a)
  const others = keysOf(b)
  if (keys.join('\0') !== others.join('\0')) {
    return `${path}: keys ${String(keys)} / ${String(others)}`
  }
  for (const key of keys) {
    const here = Object.getOwnPropertyDescriptor(a, key)
    const there = Object.getOwnPropertyDescriptor(b, key)
    if (here?.enumerable !== there?.enumerable) return `${path}.${key}: other visibility`
    const found = difference(here?.value, there?.value, `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function keysOf(value: object): string[] {
  const keys = Object.getOwnPropertyNames(value).filter((key) => key !== 'lastIndex')
  return keys.toSorted()
}
