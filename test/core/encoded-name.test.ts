import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { decodeName, encodeName } from '../../src/core/encoded-name.ts'

describe('an encoded name', () => {
  test('is read back as it was, and holds nothing that keys are made with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, other) => {
        const text = encodeName(name)
        expect(decodeName(text)).toBe(name)
        expect(text).toMatch(/^[\w%.-]*$/)
        expect(text === encodeName(other)).toBe(name === other)
      }),
    )
  })

  test('tells lone surrogates apart', () => {
    const names = ['\ud800', '\udfff', '\ufffd', '%uD800', 'a\ud83d', '😀']
    expect(new Set(names.map(encodeName)).size).toBe(names.length)
    expect(names.map(encodeName).map(decodeName)).toEqual(names)
  })
})
