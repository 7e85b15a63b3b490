import * as fc from 'fast-check'

const text = fc.string({ unit: 'binary' })

/** Keys that mean something to JavaScript, to JSON or to the codec, among others. */
const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '__proto__',
    'constructor',
    'prototype',
    'toJSON',
    'then',
    '$type',
    'value',
    '',
  ),
  text,
)

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    false,
    0,
    -0,
    1,
    '1',
    1n,
    Number.NaN,
    Infinity,
    -Infinity,
    '',
  ),
  text,
  fc.double(),
  fc.bigInt(),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(/a/g, /[/\]]\//su, new URL('https://a.b/c?d=e#f')),
  fc.int8Array(),
  fc.uint8Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.uint8Array().map((bytes) => new DataView(bytes.slice().buffer)),
)

/** Any value that is kept. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const value = tie('value')
  const entries = fc.array(fc.tuple(key, value), { maxLength: 4 })
  return {
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(value, { maxLength: 4 }),
      entries.map((pairs) => Object.fromEntries(pairs)),
      entries.map((pairs) => {
        const bare = Object.create(null)
        for (const [name, part] of pairs) define(bare, name, part)
        return bare
      }),
      fc.array(fc.tuple(value, value), { maxLength: 4 }).map((pairs) => new Map(pairs)),
      fc.array(value, { maxLength: 4 }).map((parts) => new Set(parts)),
      fc
        .record({ message: text, cause: value, props: entries })
        .map(({ message, cause, props }) => {
          const error = new RangeError(message, { cause })
          for (const [name, part] of props) define(error, `its ${name}`, part)
          return error
        }),
      fc.record({
        $type: fc.oneof(fc.constantFrom('Date', 'Map', 'Object', 'undefined'), value),
        value,
      }),
    ),
  }
}).value

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Values so few and so alike that two of them are often equal and often nearly so. */
export const smallValue: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const value = tie('value')
  const values = fc.array(value, { maxLength: 2 })
  return {
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom(
        undefined,
        null,
        0,
        -0,
        1,
        '1',
        1n,
        '',
        'undefined',
        Number.NaN,
        'NaN',
        '1970-01-01T00:00:00.000Z',
      ),
      fc.constant(0).map((time) => new Date(time)),
      values,
      values.map((parts) => new Set(parts)),
      values.map((parts) => new Map(parts.map((part) => [part, part]))),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', '$type'), value), { maxLength: 2 })
        .map((pairs) => Object.fromEntries(pairs)),
    ),
  }
}).value
