import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { padEnd, truncate, widthOf } from '../../../src/cli/terminal/width.ts'

describe('the width of text', () => {
  test.each([
    ['abc', 3],
    ['', 0],
    ['重建', 4],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['é', 1],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['✔', 1],
    ['⏸', 1],
    ['│', 1],
    ['\u001b[31mred\u001b[39m', 3],
    ['a\u200bb', 2],
  ])('of %j is %i', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })
})

describe('cutting text', () => {
  test('leaves what fits', () => {
    expect(truncate('abc', 3)).toBe('abc')
  })

  test('ends with the mark', () => {
    expect(truncate('abcdef', 4)).toBe('abc…')
  })

  test('never cuts a wide character in two', () => {
    expect(truncate('重建索引', 6)).toBe('重建…')
  })

  test('gives at most the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 30 }),
        (text, width) => {
          expect(widthOf(truncate(text, width))).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  test('fills up to the width', () => {
    expect(padEnd('重', 4)).toBe('重  ')
  })
})
