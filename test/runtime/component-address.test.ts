import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  appendSegment,
  formatAddress,
  formatSegment,
  getCurrentAddress,
  getNextResumptionPoints,
  getResumeContext,
  HexagonError,
  isDescendantOf,
  populateResumeInfo,
  resumeWithData,
  sameSegment,
  segment,
  withResumeInfo,
  type Address,
} from '../../src/index.ts'

const step1 = segment('node', 'step1')
const call1 = segment('tool', 'search', 'call_1')

describe('an address', () => {
  test('S01 is shown segment by segment', () => {
    expect(formatSegment(step1)).toBe('node:step1')
    expect(formatSegment(call1)).toBe('tool:search:call_1')
    expect(formatAddress([step1, call1])).toBe('node:step1;tool:search:call_1')
    expect(formatAddress([])).toBe('')
  })

  test('S02 lies strictly below another', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => segment('node', id))
    const path = (...segments: (typeof a)[]) => segments as Address
    const x = path(a, b)
    const y = path(a, b, c)
    const z = path(a, c)

    expect(isDescendantOf(y, x)).toBe(true)
    expect(isDescendantOf(x, y)).toBe(false)
    expect(isDescendantOf(x, x)).toBe(false)
    expect(isDescendantOf(z, x)).toBe(false)
    expect(isDescendantOf(x, [])).toBe(true)
    expect(isDescendantOf([], [])).toBe(false)
  })

  test('S04 tells calls of one tool apart', () => {
    expect(sameSegment(call1, segment('tool', 'search', 'call_2'))).toBe(false)
    expect(sameSegment(call1, segment('tool', 'search'))).toBe(false)
    expect(sameSegment(call1, { ...call1 })).toBe(true)
  })

  test('is not changed by what is appended to it', () => {
    const base: Address = [step1]

    expect(appendSegment(base, call1)).toEqual([step1, call1])
    expect(base).toEqual([step1])
  })

  test('S05 belongs to the frame that asks for it', async () => {
    const seen: string[] = []
    const note = (): void => {
      seen.push(formatAddress(getCurrentAddress()))
    }
    await appendAddressSegment('node', 'A', undefined, async () => {
      await Promise.all(
        ['1', '2'].map((call) =>
          appendAddressSegment('tool', 'T', call, async () => {
            await Promise.resolve()
            note()
          }),
        ),
      )
      note()
    })
    note()

    expect(seen).toEqual(['node:A;tool:T:1', 'node:A;tool:T:2', 'node:A', ''])
  })

  test('S06 is never taken for another one that reads the same', () => {
    const target = [segment('tool', 'a;tool:b')]
    const lookalike = [segment('tool', 'a'), segment('tool', 'b')]
    const told = withResumeInfo(() => {
      populateResumeInfo({ i1: target })
      resumeWithData('i1', 'go')
      const [outer, inner] = lookalike
      const wrong = appendAddressSegment('tool', outer?.id ?? '', undefined, () =>
        appendAddressSegment('tool', inner?.id ?? '', undefined, () => getResumeContext()),
      )
      const call = appendAddressSegment('tool', 'a', 'tool:b', () => getResumeContext())
      const right = appendAddressSegment('tool', 'a;tool:b', undefined, () => getResumeContext())
      return { wrong, call, right }
    })

    expect(told.wrong.isResumeTarget).toBe(false)
    expect(told.call.isResumeTarget).toBe(false)
    expect(told.right).toEqual({ isResumeTarget: true, hasData: true, data: 'go' })
  })
})

describe('the next resumption points', () => {
  const agent1 = segment('agent', 'agent1')
  const load = (): void =>
    populateResumeInfo({
      i1: [agent1, segment('tool', 'tool1')],
      i2: [agent1, segment('tool', 'tool2'), segment('node', 'x')],
    })

  test('S07 are the children on the way to recorded interrupts', () => {
    withResumeInfo(() => {
      load()

      expect(getNextResumptionPoints()).toEqual(new Set(['agent1']))
      appendAddressSegment('agent', 'agent1', undefined, () => {
        expect(getNextResumptionPoints()).toEqual(new Set(['tool1', 'tool2']))
        appendAddressSegment('tool', 'tool1', undefined, () => {
          expect(getNextResumptionPoints()).toEqual(new Set())
        })
      })
    })
  })

  test('S07 are an error where nothing is loaded', () => {
    withResumeInfo(() => {
      expect(() => getNextResumptionPoints()).toThrow(HexagonError)
    })
  })
})
