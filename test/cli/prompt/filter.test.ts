import { describe, expect, test } from 'vitest'

import { createFilter } from '../../../src/cli/prompt/filter.ts'
import { parseJson } from '../../../src/cli/prompt/json-text.ts'
import { pageSize, shownOptions } from '../../../src/cli/prompt/option-list.ts'

describe('narrowing a long list', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `customer-${index}`)
  const filter = createFilter(names, (name) => name)

  test('gives 50 and says how many there are', () => {
    expect(filter('')).toMatchObject({ total: 10_000 })
    expect(filter('').found).toHaveLength(50)
  })

  test('keeps the order of the list', () => {
    expect(filter('777').found.slice(0, 3)).toEqual([
      'customer-777',
      'customer-1777',
      'customer-2777',
    ])
  })

  test('puts an exact match first, wherever it stands', () => {
    expect(filter('CUSTOMER-9999').found[0]).toBe('customer-9999')
    expect(createFilter(['ab', 'b'], (name) => name)('b').found).toEqual(['b', 'ab'])
  })

  test('finds nothing where nothing is', () => {
    expect(filter('nobody')).toEqual({ found: [], total: 0 })
  })

  test('takes composed and decomposed letters for the same', () => {
    expect(createFilter(['Caf\u00e9'], (name) => name)('cafe\u0301').total).toBe(1)
  })
})

function options(...names: string[]): { value: string; name: string }[] {
  return names.map((name) => ({ value: name, name }))
}

describe('options on the screen', () => {
  test('are never blank and never the same', () => {
    const shown = shownOptions(options('', ' ', 'same', 'same', 'x\u001b[2K'), 80)

    expect(shown.map(({ name }) => name)).toEqual([
      '(empty)',
      '(empty) (2)',
      'same',
      'same (2)',
      'x␛[2K',
    ])
  })

  test('are wrapped under themselves and cut after three lines', () => {
    const [shown] = shownOptions(options('word '.repeat(40).trim()), 23)

    expect(shown?.name.split('\n')).toEqual([
      'word word word word',
      '  word word word word',
      '  word word word word…',
    ])
  })

  test('fill no more than the screen', () => {
    const shown = shownOptions(
      options(...Array.from({ length: 40 }, (_, index) => `n${index}`)),
      80,
    )

    expect([
      pageSize(shown, 60),
      pageSize(shown, 12),
      pageSize(shown, 5),
      pageSize(shown.slice(0, 3), 24),
    ]).toEqual([15, 4, 1, 3])
  })
})

describe('JSON that was typed', () => {
  test('is read', () => {
    expect(parseJson(' {"a":[1]} ')).toEqual({ ok: true, value: { a: [1] } })
  })

  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', /^line 3, column 3: \S/u],
    ['nope', /^(line 1, column 2: )?\S/u],
    ['{', /\S/u],
  ])('that is broken says where: %j', (text, problem) => {
    const parsed = parseJson(text)

    expect(parsed).toEqual({ ok: false, problem: expect.stringMatching(problem) })
    expect(JSON.stringify(parsed)).not.toContain('position')
  })
})
