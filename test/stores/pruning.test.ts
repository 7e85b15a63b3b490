import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Store, StoredThread } from '../../src/core/store.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { fileStore } from '../../src/stores/index.ts'
import {
  allPending,
  answers,
  claimant,
  edit,
  newThread,
  question,
} from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'
import { UpkeepProcess } from './upkeep-process.ts'

const upkeep = new UpkeepProcess()
beforeAll(() => upkeep.prepare())
afterAll(() => upkeep.dispose())

/** A thread of 12 versions whose log was rotated several times, with a question open and one answered. */
async function rotated(store: Store): Promise<void> {
  const { fence } = await store.create(
    newThread('t', { status: 'running', claim: claimant(), events: ['1'] }),
  )
  for (let version = 1; version < 12; version++) {
    const isLast = version === 11
    await store.commit({
      ...edit('t', version, { status: isLast ? 'suspended' : 'running', release: isLast }),
      fence,
      events: [String(version + 1)],
      puts: [
        ['n', String(version + 1)],
        ['large', JSON.stringify('x'.repeat(version % 5 === 3 ? 1_200_000 : 10))],
      ],
      open: version === 2 ? [question('i_a', 1), question('i_b', 2)] : [],
    })
  }
  await store.answer(answers('t', { i_a: '"yes"' }))
  await store.close()
}

async function loaded(store: Store): Promise<StoredThread> {
  const thread = await store.load('t')
  if (thread === undefined) throw new Error('the thread is gone')
  return thread
}

async function versionsOf(store: Store): Promise<number[]> {
  return (await store.history('t')).map(({ version }) => version)
}

test('pruning removes the files of old checkpoints and keeps what a restoration needs', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await rotated(fileStore(folder))
  const store = fileStore(folder)
  const history = join(folder, 'history', 't')
  const before = readdirSync(history)

  expect(await store.prune('t', 3)).toEqual({ removed: 9, oldest: 10 })

  expect(readdirSync(history).length).toBeLessThan(before.length)
  expect(readdirSync(history)).toEqual([expect.stringMatching(/\.json$/u)])
  expect((await store.checkpointAt('t', 10))?.records.get('n')).toBe('10')
  expect(await store.checkpointAt('t', 9)).toBeUndefined()
  expect((await new Inspection(folder).inspect()).findings).toEqual([])
})

test('pruning in the middle of an older log keeps what follows it', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await rotated(fileStore(folder))
  const store = fileStore(folder)

  for (const keep of [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) {
    expect(await store.prune('t', keep)).toEqual({ removed: 1, oldest: 13 - keep })
    expect(await versionsOf(store)).toEqual(Array.from({ length: keep }, (_, at) => 12 - at))
    const past = await store.checkpointAt('t', 13 - keep)
    expect(past?.records.get('n')).toBe(String(13 - keep))
    expect(await store.checkpointAt('t', 12 - keep)).toBeUndefined()
    expect((await store.events('t')).map(({ seq }) => seq)[0]).toBe(13 - keep)
  }
  expect((await new Inspection(folder).inspect()).findings).toEqual([])
})

test.each([
  ['in the current log', 2],
  ['in an older log', 7],
])(
  'killed anywhere while it is cut %s, a thread is whole, and pruning it again ends the work',
  { timeout: 120_000 },
  async (_where, keep) => {
    const folder = join(tempFolder(), '.hexagon')
    await rotated(fileStore(folder))
    const before = await loaded(fileStore(folder))

    const { points, problems } = await upkeep.problems(folder, `prune:${keep}`, async (copy) => {
      const store = fileStore(copy)
      const found: string[] = []
      const { head, records, interrupts } = await loaded(store)
      expect({ records, interrupts }).toEqual({
        records: before.records,
        interrupts: before.interrupts,
      })
      expect(head.version).toBe(12)
      const versions = await versionsOf(store)
      if (versions.some((version, index) => version !== 12 - index) || versions.length < keep)
        found.push(`history is ${versions.join()}`)
      for (const version of versions) {
        const past = await store.checkpointAt('t', version)
        if (past?.records.get('n') !== (version === 1 ? undefined : String(version)))
          found.push(`version ${version} is another`)
      }
      const page = await store.pending()
      if (page.damaged.length > 0 || (await allPending(store)).length !== 1)
        found.push('pending is wrong')
      await store.prune('t', keep)
      if ((await versionsOf(store)).length !== keep) found.push('it can not be pruned again')
      await store.close()
      const { findings } = await new Inspection(copy).inspect()
      // The copy has other times, and a killed process leaves its lock.
      const passing = new Set(['temp', 'stale-lock', 'descriptor'])
      const left = findings.filter(({ kind }) => !passing.has(kind))
      return [...found, ...left.map(({ file, problem }) => `${file} ${problem}`)]
    })

    expect(problems).toEqual([])
    expect(points.length).toBeGreaterThan(20)
  },
)
