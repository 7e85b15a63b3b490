import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { segmentKey } from '../../src/core/address.ts'
import {
  type Address,
  appendSegment,
  formatAddress,
  formatSegment,
  isDescendantOf,
  sameAddress,
  sameSegment,
  segment,
} from '../../src/index.ts'

const a = segment('node', 'a')
const b = segment('node', 'b')
const c = segment('tool', 'c', 'call_1')

describe('addresses', () => {
  test('S01 an address is written type:id:subId with a semicolon between', () => {
    const step1 = segment('node', 'step1')
    const search = segment('tool', 'search', 'call_1')

    expect(formatSegment(step1)).toBe('node:step1')
    expect(formatSegment(search)).toBe('tool:search:call_1')
    expect(formatAddress([step1, search])).toBe('node:step1;tool:search:call_1')
    expect(formatAddress([step1, search], '/')).toBe('node:step1/tool:search:call_1')
    expect(formatAddress([])).toBe('')
  })

  test('S02 a descendant lies strictly below', () => {
    const x = [a, b]
    const y = [a, b, c]
    const z = [a, c]

    expect(isDescendantOf(y, x)).toBe(true)
    expect(isDescendantOf(x, y)).toBe(false)
    expect(isDescendantOf(x, x)).toBe(false)
    expect(isDescendantOf(z, x)).toBe(false)
    expect(isDescendantOf([a], [])).toBe(true)
    expect(isDescendantOf([], [])).toBe(false)
  })

  test('S04 segments that differ in their subId are not equal', () => {
    expect(sameSegment(c, segment('tool', 'c', 'call_2'))).toBe(false)
    expect(sameSegment(c, segment('tool', 'c'))).toBe(false)
    expect(sameSegment(c, segment('tool', 'c', 'call_1'))).toBe(true)
    expect(sameSegment(segment('tool', 'c', ''), segment('tool', 'c'))).toBe(true)
    expect(sameAddress([a, c], [a, segment('tool', 'c', 'call_2')])).toBe(false)
  })

  test('S06 addresses whose naive text is equal are told apart', () => {
    const one = [segment('tool', 'a;b', '1:2')]
    const two = [segment('tool', 'a'), segment('b', '1', '2')]

    expect(sameAddress(one, two)).toBe(false)
    expect(formatAddress(one)).not.toBe(formatAddress(two))
    expect(formatAddress(one)).toBe('tool:a%3Bb:1%3A2')
  })

  test('appending leaves the given address as it is', () => {
    const base: Address = [a]

    expect(appendSegment(base, b)).toEqual([a, b])
    expect(base).toEqual([a])
  })

  const anySegment = fc
    .tuple(
      fc.constantFrom('node', 'tool', 'my:type', 'x;y'),
      fc.string({ minLength: 1, maxLength: 4 }),
      fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
    )
    .map(([type, id, subId]) => segment(type, id, subId))
  const anyAddress = fc.array(anySegment, { maxLength: 4 })

  test('equal texts mean equal addresses', () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, (one, two) => {
        expect(formatAddress(one) === formatAddress(two)).toBe(sameAddress(one, two))
        expect(one.map(segmentKey).join() === two.map(segmentKey).join()).toBe(
          sameAddress(one, two),
        )
      }),
    )
  })

  test('an address below another is not equal to it, nor above it', () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, (one, two) => {
        const below = [...one, ...two]
        expect(isDescendantOf(below, one)).toBe(two.length > 0)
        expect(isDescendantOf(one, below)).toBe(false)
      }),
    )
  })
})
