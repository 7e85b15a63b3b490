import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Store, StoredThread } from '../../src/core/store.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { rekeyFolder } from '../../src/stores/file/rekeying.ts'
import { fileStore } from '../../src/stores/index.ts'
import { KeyRing } from '../../src/stores/sealed/key-ring.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
  question,
} from '../contracts/store-data.ts'
import { KEY, OTHER_KEY } from './keys.ts'
import { tempFolder } from './temp-folder.ts'
import { UpkeepProcess } from './upkeep-process.ts'

const upkeep = new UpkeepProcess()
beforeAll(() => upkeep.prepare())
afterAll(() => upkeep.dispose())

/** A waiting thread with a rotated log and an answer in its inbox, one that has ended, and a blob. */
async function fill(store: Store): Promise<string> {
  const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
  for (let version = 1; version < 6; version++) {
    const isLast = version === 5
    await store.commit({
      ...edit('t', version, { status: isLast ? 'suspended' : 'running', release: isLast }),
      fence,
      events: [`"event ${version}"`],
      puts: [['n', JSON.stringify('plain state '.repeat(version === 3 ? 100_000 : 1))]],
      open: version === 2 ? [question('i_a', 1), question('i_b', 2)] : [],
    })
  }
  await store.answer(answers('t', { i_a: '"plain answer"' }))
  await store.create(newThread('Ended!', { status: 'completed', records: [['x', '"plain end"']] }))
  const hash = await store.putBlob(Buffer.from('plain blob'))
  await store.close()
  return hash
}

interface Seen {
  readonly threads: readonly (StoredThread | undefined)[]
  readonly past: StoredThread | undefined
  readonly events: readonly string[]
}

async function seen(store: Store): Promise<Seen> {
  return {
    threads: [unheld(await store.load('t')), unheld(await store.load('Ended!'))],
    past: await store.checkpointAt('t', 2),
    events: (await store.events('t')).map(({ body }) => body),
  }
}

/** Whoever was killed left its lock. */
function unheld(thread: StoredThread | undefined): StoredThread | undefined {
  if (thread === undefined) return undefined
  const { lease: _, ...head } = thread.head
  return { ...thread, head }
}

/** Ids of the keys that anything under a folder is sealed with. */
function keyIdsUnder(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = files.map((file) => join(folder, file)).filter((path) => statSync(path).isFile())
  const texts = paths.map((path) => readFileSync(path, 'latin1'))
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/hx1:([0-9a-f]{12}):/gu)].map(([, id]) => id ?? '')),
  )
}

const NEW_ID = new KeyRing([OTHER_KEY]).keyId

test('all texts of a store come under the new key, and the old one is needed no more', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const hash = await fill(fileStore(folder, { keys: [KEY] }))
  const before = await seen(fileStore(folder, { keys: [KEY] }))

  const { threads, busy, damaged, kept } = await rekeyFolder(folder, { keys: [OTHER_KEY, KEY] })

  expect({ threads, busy, damaged, kept }).toEqual({
    threads: ['t', 'Ended!'],
    busy: [],
    damaged: [],
    kept: [],
  })
  const store = fileStore(folder, { keys: [OTHER_KEY] })
  expect(await seen(store)).toEqual(before)
  expect(Buffer.from((await store.getBlob(hash)) ?? []).toString()).toBe('plain blob')
  expect(keyIdsUnder(folder).has(NEW_ID)).toBe(true)
  // The audit log is never written again.
  const audit = readFileSync(join(folder, 'audit.jsonl'), 'utf8')
  const left = [...keyIdsUnder(folder)].filter((id) => id !== NEW_ID)
  expect(left.every((id) => audit.includes(id))).toBe(true)
  expect((await new Inspection(folder, { keys: [OTHER_KEY] }).inspect()).findings).toEqual([])
  expect((await allPending(store))[0]?.open.map(({ id }) => id)).toEqual(['i_b'])
})

test('a plain store is encrypted as a whole', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const hash = await fill(fileStore(folder))
  const before = await seen(fileStore(folder))

  await rekeyFolder(folder, { keys: [KEY] })

  const store = fileStore(folder, { keys: [KEY] })
  expect(await seen(store)).toEqual(before)
  expect(Buffer.from((await store.getBlob(hash)) ?? []).toString()).toBe('plain blob')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const plain = files.filter((file) => {
    const path = join(folder, file)
    return statSync(path).isFile() && readFileSync(path, 'latin1').includes('plain ')
  })
  // The audit log is only ever appended to.
  expect(plain).toEqual(['audit.jsonl'])
  await expect(fileStore(folder).load('t')).rejects.toMatchObject({ code: 'E1322' })
})

test('a thread that is run, and one whose key is missing, are named and left as they are', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await askingThread(fileStore(folder, { keys: [KEY] }), 'old', { ids: ['i_a'] })
  const store = fileStore(folder, { keys: [OTHER_KEY] })
  await askingThread(store, 'run', { ids: ['i_b'] })
  await store.claim('run', claimant())
  await askingThread(store, 'free', { ids: ['i_c'] })

  const { threads, busy, damaged } = await rekeyFolder(folder, { keys: [OTHER_KEY] })

  expect({ threads, busy }).toEqual({ threads: ['free'], busy: ['run'] })
  expect(damaged).toEqual([expect.objectContaining({ threadId: 'old', code: 'E1323' })])
  expect((await fileStore(folder, { keys: [KEY] }).load('old'))?.head.version).toBe(2)
})

test(
  'killed anywhere while it gets another key, a store reads with both, and the work can be done again',
  { timeout: 120_000 },
  async () => {
    const folder = join(tempFolder(), '.hexagon')
    await fill(fileStore(folder, { keys: [KEY] }))
    const before = await seen(fileStore(folder, { keys: [KEY] }))

    const { points, problems } = await upkeep.problems(folder, 'rekey', async (copy) => {
      const both = fileStore(copy, { keys: [OTHER_KEY, KEY] })
      expect(await seen(both)).toEqual(before)
      expect((await both.pending()).damaged).toEqual([])
      await both.close()
      const again = await rekeyFolder(copy, { keys: [OTHER_KEY, KEY] })
      const now = fileStore(copy, { keys: [OTHER_KEY] })
      expect(await seen(now)).toEqual(before)
      await now.close()
      return again.damaged.map(({ problem }) => problem)
    })

    expect(problems).toEqual([])
    expect(points.length).toBeGreaterThan(40)
  },
)
