import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { canonical } from '../../src/core/canonical.ts'
import { decode, encode } from '../../src/core/codec.ts'
import { HexagonError } from '../../src/core/errors.ts'
import type { JsonValue } from '../../src/core/json.ts'
import { copyOf, isExotic, seal } from '../../src/core/seal.ts'
import { anyValue, smallValue } from './arbitrary-value.ts'
import { difference } from './difference.ts'

const runs = { numRuns: 500 }

function reread(value: unknown): unknown {
  const json: JsonValue = JSON.parse(JSON.stringify(encode(value)))
  return decode(json)
}

/** Every object in a value that somebody could change. */
function mutableParts(value: unknown, found: Set<object> = new Set()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  if (!Object.isFrozen(value)) found.add(value)
  for (const part of partsOf(value)) mutableParts(part, found)
  return found
}

function partsOf(value: object): unknown[] {
  if (ArrayBuffer.isView(value)) return [value.buffer]
  const properties = Object.getOwnPropertyNames(value).map((key): unknown =>
    Reflect.get(value, key),
  )
  return value instanceof Map || value instanceof Set
    ? [...properties, ...[...value].flat()]
    : properties
}

/** What comes of it: a value, or the code and words of a refusal. */
function outcome(run: () => unknown): { value: unknown } | { code: unknown; message: string } {
  try {
    return { value: run() }
  } catch (error) {
    if (error instanceof HexagonError) return { code: error.code, message: error.message }
    throw error
  }
}

test('O07 any value is the same after a pause', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(difference(reread(value), value)).toBeUndefined()
    }),
    runs,
  )
})

test('O07 a value is the same whether or not it was sealed before the pause', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(difference(seal(value), value)).toBeUndefined()
      expect(JSON.stringify(encode(seal(value)))).toBe(JSON.stringify(encode(value)))
      expect(difference(reread(seal(value)), value)).toBeUndefined()
    }),
    runs,
  )
})

test('a sealed value shares nothing that can be changed', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const before = mutableParts(value)
      const sealed = seal(value)
      const after = mutableParts(sealed)

      expect([...after].filter((part) => before.has(part))).toEqual([])
      expect(isExotic(sealed)).toBe(after.size > 0)
    }),
    runs,
  )
})

test('each reader of a sealed value has its own copy of what can be changed', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const sealed = seal(value)
      const copy = copyOf(sealed)
      const shared = mutableParts(sealed)

      expect(difference(copy, value)).toBeUndefined()
      expect([...mutableParts(copy)].filter((part) => shared.has(part))).toEqual([])
    }),
    runs,
  )
})

test('two values have one canonical text exactly when they are equal', () => {
  fc.assert(
    fc.property(smallValue, smallValue, (a, b) => {
      expect(canonical(a) === canonical(b)).toBe(difference(a, b) === undefined)
    }),
    { numRuns: 3_000 },
  )
})

test('a value has the same canonical text after a pause', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(canonical(reread(value))).toBe(canonical(value))
      expect(canonical(seal(value))).toBe(canonical(value))
    }),
    runs,
  )
})

test('anything at all is kept or refused, by encode and seal alike', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })
  fc.assert(
    fc.property(anything, (value) => {
      const read = outcome(() => reread(value))
      const sealed = outcome(() => seal(value))

      const expected = 'value' in read ? { value } : { code: 'E1312', message: read.message }
      expect(difference(read, expected)).toBeUndefined()
      expect(difference(sealed, expected)).toBeUndefined()
    }),
    runs,
  )
})

test('L88 any JSON is read as data or refused, and Object.prototype stays as it was', () => {
  const before = Reflect.ownKeys(Object.prototype)
  const json = anyValue.map((value): JsonValue => {
    const stored: JsonValue = JSON.parse(JSON.stringify(encode(value)))
    return stored
  })
  fc.assert(
    fc.property(
      json,
      fc.constantFrom('Date', 'Map', 'Error', 'Object', 'Nothing'),
      (value, tag) => {
        const read = outcome(() => decode({ $type: tag, value }))

        expect('value' in read || read.code === 'E1308').toBe(true)
        expect('value' in outcome(() => decode(value))).toBe(true)
      },
    ),
    runs,
  )
  expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
})
