// The law of the product: interrupt, kill and resume anywhere, in any order, and the thread ends as if
// nothing had happened.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  Runner,
  type Interrupt,
  type InterruptHandler,
  type ResumeCommand,
  type RunResult,
} from '../../src/index.ts'
import type { Store } from '../../src/stores/index.ts'
import { fileStore, memoryStore, sqliteStore } from '../../src/stores/index.ts'
import { Crash, crashingStore } from '../support/crashing-store.ts'
import { answerTo, anyBlock, Effects, graphOf, type Block } from '../support/random-graph.ts'
import { slowStore } from '../support/slow-store.ts'

const runs = Number(process.env['HEXAGON_LAW_RUNS'] ?? 100)
/** The same cases every time, so that a change is what makes it fail; give another to look further. */
const seed = Number(process.env['HEXAGON_LAW_SEED'] ?? 1)

interface Ended {
  readonly state: RunResult['state']
  readonly effects: ReadonlyMap<string, number>
  /** How often each step that runs once did, by its key. */
  readonly once: readonly number[]
}

/** The thread without any pause: every question is answered where it is asked. */
async function straight(block: Block): Promise<Ended> {
  const effects = new Effects()
  const runner = new Runner({ onInterrupt: (open) => answersFor(open, effects) })
  const result = await runner.invoke(graphOf(block, effects), {})
  return { state: result.state, ...seenOf(effects) }
}

function answersFor(open: readonly Interrupt[], effects: Effects): Record<string, unknown> {
  return Object.fromEntries(open.map((asked) => [asked.id, answerFor(asked, effects)]))
}

/** The person knows whether a step in doubt happened, and says so. */
function answerFor({ kind, message, payload }: Interrupt, effects: Effects): unknown {
  if (kind !== 'doubt') return answerTo(message)
  return effects.truth((payload as { idempotencyKey: string }).idempotencyKey)
}

function seenOf({ counts, once }: Effects): Pick<Ended, 'effects' | 'once'> {
  return { effects: counts, once: [...once.values()].map(({ count }) => count) }
}

/** Every step that runs once did so, whatever came in between. */
function expectOnce(actual: Ended, expected: Ended): void {
  expect(actual.once).toEqual(expected.once.map(() => 1))
}

/** One choice of what happens next: how many questions, from which end, where, and how. */
interface Move {
  readonly take: number
  readonly reverse: boolean
  readonly inPlace: boolean
  readonly replay: boolean
  readonly stopAfter: number
  readonly crashAfter: number
}

const move: fc.Arbitrary<Move> = fc.record({
  take: fc.integer({ min: 1, max: 4 }),
  reverse: fc.boolean(),
  inPlace: fc.boolean(),
  replay: fc.boolean(),
  stopAfter: fc.integer({ min: 0, max: 12 }),
  crashAfter: fc.integer({ min: 0, max: 20 }),
})
const moves = fc.array(move, { minLength: 1, maxLength: 12 })

function picked(open: readonly Interrupt[], { take, reverse }: Move): Interrupt[] {
  return (reverse ? open.toReversed() : [...open]).slice(0, take)
}

/** Answers some questions in place, then defers. */
function someInPlace(one: Move, effects: Effects): InterruptHandler {
  let left = one.take
  return (open) => {
    if (left <= 0) return 'defer'
    const some = picked(open, one).slice(0, left)
    left -= some.length
    return answersFor(some, effects)
  }
}

interface World {
  readonly store: Store
  readonly block: Block
  readonly effects: Effects
  readonly clock: () => number
}

/** Runs one stretch as a move says; a crash is a stretch that ends in the middle. */
async function stretch(
  world: World,
  one: Move,
  { begin, kill }: { readonly begin: boolean; readonly kill: boolean },
): Promise<RunResult | undefined> {
  const { store, block, effects, clock } = world
  const flow = graphOf(block, effects)
  const runner = new Runner({
    store: kill ? crashingStore(store, one.crashAfter) : store,
    flows: [flow],
    replay: one.replay ? 'always' : 'needed',
    services: { clock },
    ...(one.inPlace ? { onInterrupt: someInPlace(one, effects) } : {}),
  })
  const run = begin
    ? runner.run(flow, {}, { threadId: 'law' })
    : runner.resume('law', await commandOf(runner, one, effects))
  if (one.stopAfter > 0) stopAfter(run, one.stopAfter)
  try {
    return await run.result
  } catch (error) {
    if (isCrash(error)) return undefined
    throw error
  }
}

async function commandOf(runner: Runner, one: Move, effects: Effects): Promise<ResumeCommand> {
  if (one.inPlace) return {}
  const { interrupts } = await runner.get('law')
  return { answers: answersFor(picked(interrupts, one), effects) }
}

function isCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof Error && error.cause instanceof Crash)
}

function stopAfter(run: ReturnType<Runner['run']>, events: number): void {
  void (async () => {
    let seen = 0
    for await (const _ of run) {
      seen += 1
      if (seen === events)
        run.cancel(events % 2 === 0 ? 'graceful' : 'immediate', 'the law says so')
    }
  })()
}

async function withPauses(
  block: Block,
  list: readonly Move[],
  crashes: boolean,
  open: (clock: () => number) => Store = (clock) => memoryStore({ clock }),
): Promise<Ended & { crashed: number }> {
  const effects = new Effects()
  let time = 1_000_000
  const clock = (): number => time
  const { store, bury } = buriable(open(clock))
  const world: World = { store, block, effects, clock }
  let crashed = 0
  for (let turn = 0; turn < 400; turn++) {
    const stored = await world.store.load('law')
    if (stored?.head.status === 'completed') {
      // Killed after its last commit: the thread had ended.
      const { state } = await new Runner({ store: world.store }).get('law')
      return { state, ...seenOf(effects), crashed }
    }
    const one = moveAt(list, turn)
    const kill = crashes && one.crashAfter > 0
    const result = await stretch(world, one, { begin: stored === undefined, kill })
    if (result === undefined) crashed += 1
    // A dead process holds its lease until its time is over, or it is known to be gone.
    time += 3_600_000
    if (result === undefined) await bury()
    if (result?.status === 'failed') throw result.error
    if (result?.status === 'completed') {
      return { state: result.state, ...seenOf(effects), crashed }
    }
  }
  throw new Error('the thread never ended')
}

/** The moves, three times over; then calm ones, so that every thread ends. */
function moveAt(list: readonly Move[], turn: number): Move {
  const one = turn < list.length * 3 ? list[turn % list.length] : undefined
  const reverse = turn % 2 === 1
  return one ?? { take: 3, reverse, inPlace: false, replay: false, stopAfter: 0, crashAfter: 0 }
}

/** A store whose last holder can be taken for gone: here all of them are one process. */
function buriable(store: Store): { readonly store: Store; bury(): Promise<unknown> } {
  let fence = 0
  const noting = async <T extends { readonly fence: number }>(held: Promise<T>): Promise<T> => {
    ;({ fence } = await held)
    return held
  }
  const methods = new Map<PropertyKey, unknown>([
    ['create', (thread: Parameters<Store['create']>[0]) => noting(store.create(thread))],
    ['claim', (...args: Parameters<Store['claim']>) => noting(store.claim(...args))],
  ])
  const noted = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = methods.get(name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { store: noted, bury: () => store.release('law', fence) }
}

describe('the law', { timeout: 240_000 }, () => {
  test('paused and continued in any order, a thread ends as if nothing had happened', async () => {
    await fc.assert(
      fc.asyncProperty(anyBlock, moves, async (block, list) => {
        const calm = list.map((one) => ({ ...one, stopAfter: 0 }))
        const expected = await straight(block)
        const actual = await withPauses(block, calm, false)
        expect(actual.state).toEqual(expected.state)
        expect(actual.effects).toEqual(expected.effects)
      }),
      { numRuns: runs, seed, timeout: 30_000 },
    )
  })

  test('over a store that takes its time, in place and in pieces, it ends the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyBlock, moves, async (block, list) => {
        const calm = list.map((one) => ({ ...one, stopAfter: 0 }))
        const expected = await straight(block)
        const open = (clock: () => number): Store => slowStore(memoryStore({ clock }))
        const actual = await withPauses(block, calm, false, open)
        expect(actual.state).toEqual(expected.state)
        expect(actual.effects).toEqual(expected.effects)
      }),
      { numRuns: Math.ceil(runs / 2), seed, timeout: 30_000 },
    )
  })

  test('a join whose nodes have all delivered stands behind the last of them, whatever else ends with it', async () => {
    const ask: Block = { kind: 'node', ops: [{ kind: 'ask' }] }
    const three: Block = { kind: 'node', ops: [{ kind: 'together', count: 3 }] }
    const inner: Block = { kind: 'parallel', blocks: [{ kind: 'node', ops: [] }, ask] }
    const both: Block = {
      kind: 'parallel',
      blocks: [{ kind: 'loop', times: 3, block: three }, inner],
    }
    const block: Block = { kind: 'loop', times: 2, block: both }
    const calm = { reverse: false, inPlace: false, replay: false, stopAfter: 0, crashAfter: 0 }

    const expected = await straight(block)
    const actual = await withPauses(
      block,
      [1, 2, 4].map((take) => ({ ...calm, take })),
      false,
    )

    expect(actual.state).toEqual(expected.state)
  })

  test('stopped by request at any event, it goes on as if nothing had happened', async () => {
    await fc.assert(
      fc.asyncProperty(anyBlock, moves, async (block, list) => {
        const expected = await straight(block)
        const actual = await withPauses(block, list, false)
        expect(actual.state).toEqual(expected.state)
        expectOnce(actual, expected)
        for (const name of expected.effects.keys())
          expect(actual.effects.get(name)).toBeGreaterThanOrEqual(1)
      }),
      { numRuns: runs, seed, timeout: 30_000 },
    )
  })

  test('killed at any commit, it goes on, and a step repeats at most once for each kill', async () => {
    await fc.assert(
      fc.asyncProperty(anyBlock, moves, async (block, list) => {
        const calm = list.map((one) => ({ ...one, stopAfter: 0 }))
        const expected = await straight(block)
        const actual = await withPauses(block, calm, true)
        expect(actual.state).toEqual(expected.state)
        expectOnce(actual, expected)
        for (const [name, count] of expected.effects) {
          expect(actual.effects.get(name) ?? 0).toBeGreaterThanOrEqual(count)
          expect(actual.effects.get(name) ?? 0).toBeLessThanOrEqual(count + actual.crashed)
        }
      }),
      { numRuns: runs, seed, timeout: 30_000 },
    )
  })

  test.each([
    ['files', (folder: string, clock: () => number) => fileStore(join(folder, 's'), { clock })],
    ['SQLite', (folder: string, clock: () => number) => sqliteStore(join(folder, 's'), { clock })],
  ])('killed at any commit over %s, a step that runs once never does twice', async (_, open) => {
    await fc.assert(
      fc.asyncProperty(anyBlock, moves, async (block, list) => {
        const folder = mkdtempSync(join(tmpdir(), 'hexagon-law-'))
        const opened: Store[] = []
        const calm = list.map((one) => ({ ...one, stopAfter: 0 }))
        const expected = await straight(block)
        const actual = await withPauses(block, calm, true, (clock) => {
          const store = open(folder, clock)
          opened.push(store)
          return store
        })
        for (const store of opened) await store.close()
        rmSync(folder, { recursive: true })
        expect(actual.state).toEqual(expected.state)
        expectOnce(actual, expected)
      }),
      { numRuns: Math.ceil(runs / 5), seed, timeout: 60_000 },
    )
  })
})
