import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { embedded, extracted } from '../../src/stores/file/readable-text.ts'

function roundTrip(text: string): string {
  return extracted(JSON.parse(embedded(text)))
}

test('plain JSON stands in a document as it is', () => {
  for (const text of ['{"a":[1,true,null,"x"]}', '-1.5', '"\\ud800"', '{"__proto__":1}']) {
    expect(embedded(text)).toBe(text)
    expect(roundTrip(text)).toBe(text)
  }
})

test('what JSON would change stands there as a quoted text', () => {
  for (const text of ['1e21', '1.0', '{ "a": 1 }', '{"2":1,"1":2}', '-0', '"\\/"', '', 'no JSON']) {
    expect(embedded(text)).toMatch(/^\{"\$text":/)
    expect(roundTrip(text)).toBe(text)
  }
  expect(roundTrip('{"$text":"1"}')).toBe('{"$text":"1"}')
})

test('every text comes back exactly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(roundTrip(text)).toBe(text)
      expect(roundTrip(JSON.stringify(text))).toBe(JSON.stringify(text))
    }),
  )
  fc.assert(
    fc.property(fc.json(), fc.nat(4), (text, indent) => {
      expect(roundTrip(text)).toBe(text)
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      expect(roundTrip(spaced)).toBe(spaced)
    }),
  )
})
