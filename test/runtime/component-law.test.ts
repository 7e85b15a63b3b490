// The law of the product, for components: answer in any order, in any process, kill anywhere, and the
// result is as if every question had been answered where it was asked.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Runner, type Interrupt, type InterruptHandler, type RunResult } from '../../src/index.ts'
import { memoryStore, type Store } from '../../src/stores/index.ts'
import { Crash, crashingStore } from '../support/crashing-store.ts'
import { anyPart, flowOf, type Part } from '../support/random-component.ts'

const runs = 100
/** The same cases every time, so that a change is what makes it fail; give another to look further. */
const seed = Number(process.env['HEXAGON_LAW_SEED'] ?? 1)

interface Move {
  readonly take: number
  readonly reverse: boolean
  readonly inPlace: boolean
  readonly replay: boolean
  readonly crashAfter: number
}

const moves = fc.array(
  fc.record({
    take: fc.integer({ min: 1, max: 3 }),
    reverse: fc.boolean(),
    inPlace: fc.boolean(),
    replay: fc.boolean(),
    crashAfter: fc.integer({ min: 0, max: 12 }),
  }),
  { minLength: 1, maxLength: 8 },
)

function answersTo(open: readonly Interrupt[]): Record<string, string> {
  return Object.fromEntries(open.map(({ id, message }) => [id, `to ${message}`]))
}

function some(open: readonly Interrupt[], { take, reverse }: Move): Record<string, string> {
  return answersTo((reverse ? open.toReversed() : [...open]).slice(0, take))
}

function inPlace(one: Move): InterruptHandler {
  let turns = 2
  return (open) => {
    turns -= 1
    return turns < 0 ? 'defer' : some(open, one)
  }
}

async function straight(part: Part): Promise<unknown> {
  const runner = new Runner({ onInterrupt: (open) => answersTo(open) })
  const result = await runner.invoke(flowOf(part, new Map()))
  if (result.status !== 'completed') throw new Error(`ended as ${result.status}`)
  return result.output
}

interface World {
  readonly store: Store
  readonly part: Part
  readonly effects: Map<string, number>
  readonly clock: () => number
}

async function stretch(world: World, one: Move, crashes: boolean): Promise<RunResult | undefined> {
  const flow = flowOf(world.part, world.effects)
  const runner = new Runner({
    store: crashes && one.crashAfter > 0 ? crashingStore(world.store, one.crashAfter) : world.store,
    replay: one.replay ? 'always' : 'needed',
    services: { clock: world.clock },
    ...(one.inPlace ? { onInterrupt: inPlace(one) } : {}),
  })
  try {
    if ((await world.store.load('law')) === undefined)
      return await runner.run(flow, undefined, { threadId: 'law' }).result
    const view = await runner.get('law')
    if (view.status === 'completed') return { ...view, output: view.output } as never
    const answers = one.inPlace ? {} : some(view.interrupts, one)
    return await runner.resume('law', { answers }, { flow }).result
  } catch (error) {
    if (error instanceof Crash || (error instanceof Error && error.cause instanceof Crash)) return
    throw error
  }
}

async function withPauses(part: Part, list: readonly Move[], crashes: boolean) {
  const effects = new Map<string, number>()
  let time = 1_000_000
  const clock = (): number => time
  const world: World = { store: memoryStore({ clock }), part, effects, clock }
  let crashed = 0
  for (let turn = 0; turn < 200; turn += 1) {
    const one = list[turn]
    const calm = { take: 2, reverse: turn % 2 === 0, inPlace: false, replay: false, crashAfter: 0 }
    const result = await stretch(world, one ?? calm, crashes)
    if (result === undefined) crashed += 1
    time += 3_600_000
    if (result?.status === 'failed') throw result.error
    if (result?.status === 'completed') return { output: result.output, effects, crashed }
  }
  throw new Error('the thread never ended')
}

describe('the law of components', { timeout: 120_000 }, () => {
  test('answered in any order and grouping, they end the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyPart, moves, async (part, list) => {
        const { output, effects } = await withPauses(part, list, false)
        expect(output).toEqual(await straight(part))
        expect([...effects.values()].every((count) => count === 1)).toBe(true)
      }),
      { numRuns: runs, seed, timeout: 30_000 },
    )
  })

  test('killed at any commit, they end the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyPart, moves, async (part, list) => {
        const { output, effects, crashed } = await withPauses(part, list, true)
        expect(output).toEqual(await straight(part))
        expect(Math.max(0, ...effects.values())).toBeLessThanOrEqual(1 + crashed)
      }),
      { numRuns: runs, seed, timeout: 30_000 },
    )
  })
})
