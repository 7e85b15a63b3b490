import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { widthOf } from '../../../src/cli/terminal/width.ts'
import { cutLines, wrap } from '../../../src/cli/terminal/wrap.ts'

describe('wrapped text', () => {
  test('is broken between words', () => {
    expect(wrap('Deploy build 4821 to production', 16)).toEqual([
      'Deploy build',
      '4821 to',
      'production',
    ])
  })

  test('breaks a word only when it is longer than a line', () => {
    expect(wrap('a abcdefghij b', 4)).toEqual(['a', 'abcd', 'efgh', 'ij b'])
  })

  test('breaks between wide characters', () => {
    expect(wrap('重建整个索引', 5)).toEqual(['重建', '整个', '索引'])
  })

  test('keeps empty lines and the space before a line', () => {
    expect(wrap('  a\n\n b', 10)).toEqual(['  a', '', ' b'])
  })

  test('never breaks at a no-break space', () => {
    expect(wrap('esc later · ctrl+b\u00a0back', 14)).toEqual(['esc later ·', 'ctrl+b\u00a0back'])
  })

  test('has no line that is too wide', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 40 }),
        (text, width) => {
          for (const line of wrap(text, width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  test('loses nothing but white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 40 }),
        (text, width) => {
          expect(wrap(text, width).join('').replaceAll(/\s/gu, '')).toBe(
            text.replaceAll(/\s/gu, ''),
          )
        },
      ),
    )
  })

  test('of a long line takes time in proportion', () => {
    const start = performance.now()

    wrap('word '.repeat(40_000), 80)

    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe('cut lines', () => {
  test('are all there when they fit', () => {
    expect(cutLines(['a', 'b'], 2)).toEqual({ lines: ['a', 'b'], more: 0 })
  })

  test('leave a row for saying how many are missing', () => {
    expect(cutLines(['a', 'b', 'c', 'd'], 3)).toEqual({ lines: ['a', 'b'], more: 2 })
  })
})
