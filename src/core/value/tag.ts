// What JSON can't say is stored as { "$type": name, "value": parts }. An object that has a "$type" of
// its own is stored as { "$type": "Object", "value": it }, so no data is ever taken for a tag.

/** The one key that plain data has to share. */
export const TAG = '$type'

/** Tags beside the names of classes. */
export const TAG_NAMES: ReadonlySet<string> = new Set([
  'undefined',
  'number',
  'bigint',
  'Object',
  'null-prototype',
])

/** A value JSON has no words for, as it is stored. */
export interface Tagged {
  readonly [TAG]: string
  readonly value?: unknown
}

/** `undefined`, as it is stored. */
export const UNDEFINED: Tagged = Object.freeze({ [TAG]: 'undefined' })

export function tagged(name: string, value: unknown): Tagged {
  return { [TAG]: name, value }
}

/** True for what JSON text keeps as it is. */
export function isPlain(value: unknown): value is string | number | boolean | null {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/** `NaN`, `Infinity`, `-Infinity` and `-0` by their text. */
export const ODD_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
])

/** The stored form of a number JSON has no text for. */
export function tagNumber(value: number): Tagged {
  return tagged('number', Object.is(value, -0) ? '-0' : String(value))
}

/** Sets an own property, also one named `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  } else {
    target[key] = value
  }
}
