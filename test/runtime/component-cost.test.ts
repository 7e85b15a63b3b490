import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  compositeInterrupt,
  flow,
  getInterruptState,
  getResumeContext,
  interruptSignal,
  populateResumeInfo,
  resumeWithData,
  segment,
  withResumeInfo,
} from '../../src/index.ts'
import { question, Threads } from '../support/threads.ts'

const looks = ['get', 'has', 'set', 'delete', 'values'] as const

/** How often `body` looks into a map, and how many entries it goes through: what it costs, on any machine. */
function costOf(body: () => void): number {
  const kept = looks.map((name) => [name, Map.prototype[name] as () => unknown] as const)
  let cost = 0
  for (const [name, original] of kept) {
    Reflect.set(Map.prototype, name, function counted(this: Map<unknown, unknown>, ...args: []) {
      cost += name === 'values' ? this.size : 1
      return Reflect.apply(original, this, args)
    })
  }
  try {
    body()
  } finally {
    for (const [name, original] of kept) Reflect.set(Map.prototype, name, original)
  }
  return cost
}

/** The cost of entering one of `count` scopes that were interrupted, with data. */
function entering(count: number): number {
  return withResumeInfo(() => {
    const ids = Array.from({ length: count }, (_, index) => `i${index}`)
    populateResumeInfo(
      Object.fromEntries(
        ids.map((id, index) => [id, [segment('node', 'wall'), segment('brick', `${index}`)]]),
      ),
    )
    return appendAddressSegment('node', 'wall', undefined, () =>
      costOf(() => {
        resumeWithData('i7', 'go')
        const { data } = appendAddressSegment('brick', '7', undefined, () => getResumeContext())
        if (data !== 'go') throw new Error('it was not handed out')
      }),
    )
  })
}

/** The cost of entering one scope of a node that was entered again with `count` open questions. */
async function enteringInFlow(count: number): Promise<number> {
  let cost = 0
  const wall = flow('wall', () => {
    const errors: unknown[] = []
    const enter = (index: number): void =>
      appendAddressSegment('brick', String(index), undefined, () => {
        if (!getResumeContext().isResumeTarget) errors.push(interruptSignal(index))
      })
    for (let index = 0; index < count; index += 1) {
      if (index === 7 && getInterruptState().wasInterrupted) cost = costOf(() => enter(index))
      else enter(index)
    }
    throw compositeInterrupt('wall', undefined, errors)
  })
  const threads = new Threads()
  const paused = await threads.start(wall)
  await threads.resume(wall, paused, {
    answers: { [paused.interrupts[7]?.id ?? '']: true },
  })
  return cost
}

describe('entering a scope', () => {
  test('costs the same with 10 and with 10,000 open questions', () => {
    const few = entering(10)

    expect(few).toBeGreaterThan(0)
    expect(entering(10_000)).toBe(few)
  })

  test('costs the same in a flow', async () => {
    const few = await enteringInFlow(10)

    expect(few).toBeGreaterThan(0)
    expect(await enteringInFlow(10_000)).toBe(few)
  })

  test('costs its depth, fifty levels down', async () => {
    const costs: number[] = []
    const nested = (level: number): unknown =>
      appendAddressSegment('level', String(level), undefined, () => {
        if (level > 0) return nested(level - 1)
        const { isResumeTarget, data } = getResumeContext()
        if (!isResumeTarget) throw interruptSignal('deep?')
        return data
      })
    const deep = (levels: number) =>
      flow('deep', () => {
        let found: unknown
        costs.push(
          costOf(() => {
            found = nested(levels)
          }),
        )
        return found
      })
    const threads = new Threads()
    for (const levels of [10, 50]) {
      const paused = await threads.start(deep(levels))
      expect(question(paused).address).toHaveLength(levels + 2)
      const done = await threads.resume(deep(levels), paused, { answer: 'found' })
      expect(done.output).toBe('found')
    }
    const [shallow = 0, deeper = 0] = costs

    // Each level is entered once, and the target is counted once at each level above it.
    expect(deeper / shallow).toBeLessThan(6)
  })
})
