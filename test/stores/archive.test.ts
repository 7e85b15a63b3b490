import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import type { Archive, ThreadArchive } from '../../src/stores/archive.ts'
import { FileArchive } from '../../src/stores/file/archive.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { SqliteArchive } from '../../src/stores/sqlite/archive.ts'
import { ProcessActor } from '../contracts/store-actor.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
  question,
} from '../contracts/store-data.ts'
import { bundle } from '../support/bundle.ts'
import { quickTempRoot, tempFolder } from './temp-folder.ts'

/** One kind of store at a place: how it is used, and how it is copied. */
interface Place {
  readonly path: string
  readonly store: Store
  readonly archive: Archive
}

function opened(place: Place): Place {
  onTestFinished(async () => {
    await place.archive.close()
    await place.store.close()
  })
  return place
}

function inFolder(): Place {
  const path = join(tempFolder(), '.hexagon')
  return opened({ path, store: fileStore(path), archive: new FileArchive(path) })
}

function inDatabase(): Place {
  const path = join(tempFolder(), 'threads.db')
  return opened({ path, store: sqliteStore(path), archive: new SqliteArchive(path) })
}

const ODD = JSON.stringify({ nul: '\u0000', half: '\ud800', text: 'žluť 🐎' })

/** A thread that went through every kind of change; it waits for `i_b`, with an answer that nobody has used. */
async function live(store: Store, id: string): Promise<void> {
  const records = [
    ['first', '1'],
    ['odd\u0000', ODD],
  ] as const
  await store.create(
    newThread(id, { flow: 'f', meta: ODD, wake: 'all', records, events: ['"e1"'] }),
  )
  await store.commit(
    edit(id, 1, { open: [1, 2, 3].map((n) => question(`i_${n}`, n)), label: 'asks' }),
  )
  const first = await store.claim(id, claimant('one'))
  expect(await store.release(id, first.fence)).toBe(true)
  const second = await store.claim(id, claimant('two'))
  await store.answer(answers(id, { i_1: ODD }))
  await store.takeAnswers(id, second.fence)
  const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
  const running = { ...edit(id, 2, { status: 'running' }), fence: second.fence }
  await store.commit({ ...running, puts: large, consume: ['i_1'], events: ['"e2"', ODD] })
  await store.commit({ ...running, expectVersion: 3, deletes: ['large', 'first'], cancel: ['i_2'] })
  const open = [{ ...question('i_b', 9), expiresAt: '2030-01-01T00:00:00.000Z' }]
  await store.commit({ ...running, expectVersion: 4, puts: [['first', '2']], open, meta: '{}' })
  await store.commit({ ...running, expectVersion: 5, status: 'suspended', release: true })
  await store.answer(answers(id, { i_3: '"not used"' }))
}

function there<T>(thread: T | undefined): T {
  if (thread === undefined) throw new Error('the thread is not there')
  return thread
}

/** Everything that can be read of a thread, as text. */
async function seen(store: Store, id: string): Promise<string> {
  const { head, records, interrupts } = there(await store.load(id))
  const { lease: _lease, ...rest } = head
  const history = await store.history(id)
  const past = []
  for (const { version } of history) {
    const thread = await store.checkpointAt(id, version)
    past.push(thread && [thread.head, [...thread.records], thread.interrupts])
  }
  const events = await store.events(id)
  return JSON.stringify([rest, [...records], interrupts, history, past, events], null, 1)
}

async function read(archive: Archive, id: string): Promise<ThreadArchive> {
  return there(await archive.read(id))
}

async function copyAll(from: Place, to: Place): Promise<void> {
  const { items } = await from.store.threads()
  for (const { id } of items) await to.archive.write(await read(from.archive, id))
}

test.each([
  ['a folder', 'a database', inFolder, inDatabase],
  ['a database', 'a folder', inDatabase, inFolder],
])(
  '30 a thread taken from %s to %s and back has all its past, to the byte',
  async (_a, _b, make, makeOther) => {
    const here = make()
    await live(here.store, 't')
    await live(here.store, 'a/b:c;d%e')
    await live(here.store, 'over')
    const ended = await here.store.claim('over', claimant())
    const end = edit('over', ended.head.version, { status: 'completed', release: true })
    await here.store.commit({ ...end, fence: ended.fence, cancel: ['i_b'] })
    const there = makeOther()
    const back = make()

    await copyAll(here, there)
    await copyAll(there, back)

    for (const id of ['t', 'a/b:c;d%e', 'over']) {
      const original = await seen(here.store, id)
      expect(original.length).toBeGreaterThan(1_000_000)
      expect((await seen(there.store, id)) === original).toBe(true)
      expect((await seen(back.store, id)) === original).toBe(true)
    }
    expect(await allPending(there.store)).toEqual(await allPending(here.store))
    expect(await allPending(back.store)).toEqual(await allPending(here.store))
  },
)

test.each([
  ['file', inFolder],
  ['sqlite', inDatabase],
])('30 a copied thread goes on in its new place: %s', async (_, make) => {
  const source = inFolder()
  await live(source.store, 't')
  await source.store.create(newThread('ready', { status: 'ready' }))
  const { store, archive } = make()
  for (const id of ['t', 'ready']) await archive.write(await read(source.archive, id))

  const claimed = await store.claimReady(claimant(), 5)
  expect(claimed.map(({ head }) => head.id)).toEqual(['ready'])
  await store.answer(answers('t', { i_b: '"yes"' }))
  const [thread] = await store.claimReady(claimant(), 5)

  expect(thread?.fence).toBe(3)
  expect(thread?.interrupts.filter(({ status }) => status === 'answered')).toMatchObject([
    { id: 'i_3' },
    { id: 'i_b', answer: { value: '"yes"' } },
  ])
  const next = { ...edit('t', 6, { consume: ['i_3', 'i_b'], release: true }), fence: 3 }
  expect(await store.commit(next)).toEqual({ version: 7, status: 'suspended' })
  expect((await store.history('t')).map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect((await store.checkpointAt('t', 3))?.records.get('large')?.length).toBe(1_100_002)
})

test.each([
  ['file', inFolder],
  ['sqlite', inDatabase],
])('30 copied again nothing happens, and what went on meanwhile stays: %s', async (_, make) => {
  const source = inFolder()
  await live(source.store, 't')
  const { store, archive } = make()
  const thread = await read(source.archive, 't')

  expect(await archive.write(thread)).toBe('written')
  const first = await seen(store, 't')
  expect(await archive.write(await read(source.archive, 't'))).toBe('same')
  expect(await seen(store, 't')).toBe(first)

  await source.store.claim('t', claimant()).then(({ fence }) => source.store.release('t', fence))
  const again = await read(source.archive, 't')
  await expect(archive.write(again)).rejects.toMatchObject({ code: 'E1314' })
  expect(await seen(store, 't')).toBe(first)
})

test.each([
  ['file', inFolder],
  ['sqlite', inDatabase],
])(
  '30 a thread that is being run is refused, one whose process is gone is copied: %s',
  async (_, make) => {
    const source = make()
    await askingThread(source.store, 't', { ids: ['i_a'] })
    const open = source.path.endsWith('.db') ? 'sqliteStore' : 'fileStore'
    const child = await new ProcessActor({ open, args: [source.path] }).started()
    await child.run('claim', { id: 't' })
    await expect(source.archive.read('t')).rejects.toMatchObject({ code: 'E1306' })

    await child.kill()

    const thread = await read(source.archive, 't')
    for (const target of [inFolder(), inDatabase()]) {
      await target.archive.write(thread)
      const [taken] = await target.store.claimReady(claimant(), 5)
      expect(taken).toMatchObject({ fence: 2, head: { id: 't', status: 'running', attempts: 2 } })
    }
  },
)

test('30 a thread whose older past was taken away is copied with what is left', async () => {
  const source = inFolder()
  await live(source.store, 't')
  await source.store.prune('t', 3)
  const [there, back] = [inDatabase(), inFolder()]

  await copyAll(source, there)
  await copyAll(there, back)

  const original = await seen(source.store, 't')
  expect(await seen(there.store, 't')).toBe(original)
  expect(await seen(back.store, 't')).toBe(original)
  expect(await back.archive.write(await read(source.archive, 't'))).toBe('same')
  expect(await there.archive.write(await read(back.archive, 't'))).toBe('same')
  expect((await new Inspection(back.path).inspect()).findings).toEqual([])
})

test('30 a past with a hole in it is copied as it is, and what lies behind the hole can not be looked at', async () => {
  const source = inFolder()
  await live(source.store, 't')
  const history = join(source.path, 'history', 't')
  const [oldest] = readdirSync(history)
    .filter((name) => name.endsWith('.log'))
    .toSorted()
  rmSync(join(history, oldest ?? ''))
  for (const name of readdirSync(history)) if (name.endsWith('.json')) rmSync(join(history, name))
  const [there, back] = [inDatabase(), inFolder()]

  await copyAll(source, there)
  await copyAll(there, back)

  const original = await seen(source.store, 't')
  expect(await seen(there.store, 't')).toBe(original)
  expect(await seen(back.store, 't')).toBe(original)
})

test('30 a document that was changed by hand is copied as it reads', async () => {
  const source = inFolder()
  await live(source.store, 't')
  const path = join(source.path, 'threads', 't.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"first": 2', '"first": 42'))
  const target = inFolder()

  await copyAll(source, target)

  expect((await target.store.load('t'))?.records.get('first')).toBe('42')
  expect(await seen(target.store, 't')).toBe(await seen(source.store, 't'))
})

test('30 a damaged thread is named, and is not written', async () => {
  const source = inFolder()
  await live(source.store, 't')
  const path = join(source.path, 'threads', 't.json')
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 100))

  await expect(source.archive.read('t')).rejects.toMatchObject({ code: 'E1308' })
  expect(await source.archive.read('nobody')).toBeUndefined()
})

describe('a copy that is killed', () => {
  const root = mkdtempSync(join(quickTempRoot(), 'hexagon-copy-'))
  const script = join(root, 'copy-scenario.mjs')
  beforeAll(() => bundle(join(import.meta.dirname, 'copy-scenario.ts'), script))
  afterAll(() => rmSync(root, { recursive: true }))

  function ended(args: readonly string[]): Promise<{ stdout: string; signal: string | null }> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [script, ...args], (_error, stdout, stderr) => {
        expect(stderr).toBe('')
        resolve({ stdout, signal: child.signalCode })
      })
    })
  }

  test(
    'leaves at every point a whole thread or none, and can be made again',
    { timeout: 120_000 },
    async () => {
      const source = inFolder()
      await live(source.store, 't')
      const pruned = inFolder()
      await live(pruned.store, 't')
      await pruned.store.prune('t', 3)
      for (const from of [source, pruned]) {
        const original = await seen(from.store, 't')
        const { stdout } = await ended([from.path, join(root, 'all'), '0', 't'])
        rmSync(join(root, 'all'), { recursive: true })
        const points = stdout.trim().split('\n').slice(0, -1)
        expect(points.length).toBeGreaterThan(8)
        for (const index of points.keys()) {
          const path = join(root, String(index))
          expect((await ended([from.path, path, String(index + 1), 't'])).signal).toBe('SIGKILL')
          const target = opened({ path, store: fileStore(path), archive: new FileArchive(path) })

          const found = await target.store.load('t')
          const { damaged } = await target.store.threads()
          const isWhole = found === undefined || (await seen(target.store, 't')) === original
          await target.archive.write(await read(from.archive, 't'))

          expect([points[index], isWhole, damaged]).toEqual([points[index], true, []])
          expect(await seen(target.store, 't')).toBe(original)
          rmSync(path, { recursive: true })
        }
      }
    },
  )

  test('leaves in a database every thread whole or not at all', async () => {
    const source = inFolder()
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`)
    for (const id of ids) await live(source.store, id)
    const target = inDatabase()
    for (const lines of [0, 2, 5]) {
      const child = spawn(process.execPath, [script, source.path, target.path, '0', ...ids])
      let said = 0
      child.stdout.on('data', (text: Buffer) => {
        said += String(text).split('copied').length - 1
        if (said > lines) child.kill('SIGKILL')
      })
      await once(child, 'exit')
      expect(child.signalCode).toBe('SIGKILL')

      const { items, damaged } = await target.store.threads()
      expect(damaged).toEqual([])
      expect(items.length).toBeGreaterThan(lines)
      for (const { id } of items) {
        expect((await seen(target.store, id)) === (await seen(source.store, id))).toBe(true)
      }
    }

    await copyAll(source, target)
    expect((await target.store.threads()).items).toHaveLength(ids.length)
  })
})
