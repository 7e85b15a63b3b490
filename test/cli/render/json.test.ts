import { describe, expect, test } from 'vitest'

import { answerCommand, quoteArgument } from '../../../src/cli/render/command-line.ts'
import { diffLines } from '../../../src/cli/render/diff.ts'
import { placeOf, shortPlaceOf } from '../../../src/cli/render/interrupt-name.ts'
import { briefJson, prettyJson, textOf } from '../../../src/cli/render/json.ts'
import { shortIds } from '../../../src/cli/render/short-id.ts'
import { question } from '../../support/question.ts'

describe('a value that is shown', () => {
  test('is JSON that holds nothing a terminal obeys', () => {
    expect(prettyJson({ text: '\u001b[2J\u009b\u202e' })).toBe(
      String.raw`{
  "text": "\u001b[2J\u009b\u202e"
}`,
    )
  })

  test('shows what JSON would lose', () => {
    const value = {
      big: 10n,
      map: new Map([['a', 1]]),
      set: new Set([1]),
      nan: Number.NaN,
      date: new Date(0),
      url: new URL('https://example.com/'),
      error: new TypeError('no'),
      bytes: new Uint8Array(3),
      run: () => 1,
    }

    expect(briefJson(value)).toBe(
      '{"big":"10n","map":{"Map":[["a",1]]},"set":{"Set":[1]},"nan":"NaN","date":"1970-01-01T00:00:00.000Z","url":"https://example.com/","error":"TypeError: no","bytes":"[Uint8Array of 3 bytes]","run":"[function]"}',
    )
  })

  test('ends where it begins again', () => {
    const loop: { self?: unknown; other: object } = { other: {} }
    loop.self = loop

    expect(briefJson(loop)).toBe('{"other":{},"self":"[circular]"}')
    expect(briefJson([loop.other, loop.other])).toBe('[{},{}]')
  })

  test('is itself when it is a text', () => {
    expect(textOf('a "b"')).toBe('a "b"')
    expect(textOf(undefined)).toBe('undefined')
  })
})

describe('printed commands', () => {
  test('hold the whole id and the digest', () => {
    expect(answerCommand(question())).toBe(
      'hexagon resume i_0000000001 --digest d0d0d0d0d0d0d0d0 --approve',
    )
  })

  test.each([
    ['choice', '--choose <option>'],
    ['input', '--text <text>'],
    ['form', '--data <value>'],
    ['custom', '--data <value>'],
  ] as const)('for %s end with %s', (kind, flag) => {
    expect(answerCommand(question({ kind }))).toMatch(new RegExp(`${flag}$`, 'u'))
  })

  test('for a breakpoint only go on', () => {
    expect(answerCommand(question({ kind: 'breakpoint' }))).toBe('hexagon resume 7f3k9q2m4d')
  })

  test.each([
    ['7f3k', '7f3k'],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['$(rm)', "'$(rm)'"],
    ['', "''"],
  ])('quote %j as %s', (text, quoted) => {
    expect(quoteArgument(text)).toBe(quoted)
  })
})

describe('names', () => {
  test('of places are their address', () => {
    const address = [
      { type: 'node', id: 'tools' },
      { type: 'tool', id: 'pay', subId: 'call_1' },
    ]

    expect(placeOf({ address, key: 'k' })).toBe('node:tools/tool:pay:call_1')
    expect(shortPlaceOf({ address, key: 'k' })).toBe('tool:pay:call_1')
    expect(placeOf({ address: [], key: 'confirm\u001b' })).toBe('confirm␛')
  })

  test('of threads are as short as they can be', () => {
    expect([...shortIds(['7f3k9q2m4d', '7f3kaaaaaa', 'q81z000000', 'ab']).values()]).toEqual([
      '7f3k9',
      '7f3ka',
      'ab',
      'q81z',
    ])
  })
})

describe('a comparison', () => {
  test('says which lines went and came', () => {
    expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'gone', text: 'b' },
      { kind: 'new', text: 'x' },
      { kind: 'same', text: 'c' },
      { kind: 'new', text: 'd' },
    ])
  })
})
