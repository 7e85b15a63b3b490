import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  guard,
  neutralizeCommands,
  oneLine,
  safe,
  safeJson,
} from '../../../src/cli/terminal/safe.ts'

const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]/u

/** Texts in which control characters are as likely as letters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;x\u0007',
        '\u009d0;x\u009c',
        '\r',
        '\u202e',
        '\ud800',
        '\t',
        'a\u200bb',
        '\u{e0041}',
      ),
    ),
  )
  .map((parts) => parts.join(''))

describe('safe text', () => {
  test('never holds what a terminal obeys', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safe(text)).not.toMatch(HARMFUL)
      }),
    )
  })

  test('is well formed and safe to make safe again', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = safe(text)
        expect(safe(once)).toBe(once)
        expect(Buffer.from(once, 'utf8').toString('utf8')).toBe(once)
      }),
    )
  })

  test('leaves ordinary text as it is', () => {
    const text = 'Grüße, 重建 👨‍👩‍👧 é\n  second line'

    expect(safe(text)).toBe(text)
  })

  test('shows an attack instead of hiding it', () => {
    const payload = 'Pick \u001b[31mRED\u001b[2J\u001b]0;pwned\u0007'

    expect(safe(payload)).toBe('Pick ␛[31mRED␛[2J␛]0;pwned␇')
  })

  test('names marks that turn text around', () => {
    expect(safe('a\u202eb\u2066c\ufeff')).toBe('a<U+202E>b<U+2066>c<U+FEFF>')
  })

  test('tells texts apart that look the same', () => {
    expect(safe('ad\u200bmin\u2060\u00ad')).toBe('ad<U+200B>min<U+2060><U+00AD>')
  })

  test('shows what is written in tag characters, and leaves the flags made of them', () => {
    const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'

    expect(safe('ok\u{e0068}\u{e0069}')).toBe('ok<U+E0068><U+E0069>')
    expect(safe(england)).toBe(england)
    expect(safe(`${england}\u{e0068}`)).toBe(`${england}<U+E0068>`)
    expect(safeJson(JSON.stringify('\u{e0068}'))).toBe(String.raw`"\udb40\udc68"`)
  })

  test('turns every line end into one', () => {
    expect(safe('a\r\nb\rc\td\u007f\u009b')).toBe('a\nb\nc  d␡�')
  })

  test('on one line has no line ends', () => {
    expect(oneLine(' a\r\n\t b \u001b ')).toBe('a b ␛')
  })

  test('takes megabytes in well under a second', () => {
    const text = 'A line of text with \u001b[31m colours\r\n'.repeat(100_000)
    const start = performance.now()

    safe(text)

    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe('safe JSON', () => {
  test('is the same value and harmless', () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostile, (value, text) => {
        const json = safeJson(JSON.stringify({ value, text }, null, 2))
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })))
        expect(HARMFUL.test(json)).toBe(false)
      }),
    )
  })

  test('escapes C1 and direction marks', () => {
    expect(safeJson(JSON.stringify('\u0085\u202e'))).toBe(String.raw`"\u0085\u202e"`)
  })
})

describe('a finished line', () => {
  test('keeps its colours and nothing else', () => {
    expect(guard('\u001b[31mred\u001b[39m\u001b[2J', true)).toBe('\u001b[31mred\u001b[39m␛[2J')
  })

  test('keeps no colours where none are drawn', () => {
    expect(guard('\u001b[31mred', false)).toBe('␛[31mred')
  })
})

describe('text for a CI log', () => {
  test('holds no command', () => {
    expect(neutralizeCommands('::error::x\n  ::set-output name=a::b\na ##[error]c')).toBe(
      ': :error::x\n  : :set-output name=a::b\na ## [error]c',
    )
  })

  test('never begins a line with the mark of one', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('::', '##[', ' ', '\n', 'a', ':', '#', '[', '\u00a0'))
          .map((parts) => parts.join('')),
        (text) => {
          const lines = neutralizeCommands(text).split('\n')
          expect(
            lines.filter((line) => line.trim().startsWith('::') || line.includes('##[')),
          ).toEqual([])
        },
      ),
    )
  })
})
