import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { fileStore } from '../../src/stores/index.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
} from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

/** A thread with a state of 100 kB that is replaced with each version, so that its log outgrows it soon. */
async function grown(store: Store, versions: number): Promise<number> {
  const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
  for (let version = 1; version < versions; version++) {
    const next = version + 1
    await store.commit({
      ...edit('t', version, { status: 'running', label: `step ${next}`, events: [`${next}`] }),
      fence,
      puts: [
        ['n', String(next)],
        ['large', JSON.stringify(String(next % 10).repeat(100_000))],
      ],
    })
  }
  return fence
}

test('a log that outgrows its document is folded and kept as history, while the thread runs', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)

  await grown(store, 40)

  const segments = readdirSync(join(folder, 'history', 't')).filter((file) => file.endsWith('.log'))
  expect(segments.length).toBeGreaterThanOrEqual(3)
  expect(statSync(join(folder, 'threads', 't.log')).size).toBeLessThan(1_300_000)
  expect(statSync(join(folder, 'threads', 't.json')).size).toBeLessThan(110_000)
  expect((await fileStore(folder).load('t'))?.records.get('n')).toBe('40')
})

test('events, history and old checkpoints reach back over every rotation', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  const fence = await grown(store, 40)
  await store.commit({ ...edit('t', 40, { status: 'completed', release: true }), fence })
  expect(existsSync(join(folder, 'done', 't.json'))).toBe(true)

  const reader = fileStore(folder)

  const events = await reader.events('t')
  expect(events.map(({ seq, version, body }) => [seq, version, body])).toEqual(
    Array.from({ length: 39 }, (_, index) => [index + 1, index + 2, `${index + 2}`]),
  )
  expect((await reader.events('t', { after: 20, limit: 3 })).map(({ seq }) => seq)).toEqual([
    21, 22, 23,
  ])
  expect((await reader.history('t')).map(({ version }) => version)).toEqual(
    Array.from({ length: 41 }, (_, index) => 41 - index),
  )
  expect((await reader.history('t', { before: 12, limit: 2 })).map(({ label }) => label)).toEqual([
    'step 11',
    'step 10',
  ])
  for (let version = 2; version <= 40; version++) {
    const past = await reader.checkpointAt('t', version)
    expect([past?.head.version, past?.records.get('n')]).toEqual([version, String(version)])
  }
})

test('a thread that has ended can be taken again, and goes back when it is given up', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.commit(edit('t', 2, { status: 'completed', cancel: ['i_a'], events: ['"end"'] }))
  expect(readdirSync(join(folder, 'threads'))).toEqual([])

  const first = await store.claim('t', claimant())
  expect(first.head).toMatchObject({ status: 'running', version: 3 })
  await store.release('t', first.fence)
  expect((await store.load('t'))?.head.status).toBe('completed')
  expect(readdirSync(join(folder, 'threads'))).toEqual([])

  const second = await store.claim('t', claimant())
  expect(second.fence).toBe(first.fence + 1)
  const batch = { ...edit('t', 3, { events: ['"more"'] }), fence: second.fence, release: true }
  await store.commit(batch)
  expect(existsSync(join(folder, 'done', 't.json'))).toBe(false)
  expect((await store.events('t')).map(({ body }) => body)).toEqual(['"end"', '"more"'])
  expect((await store.history('t')).map(({ version }) => version)).toEqual([4, 3, 2, 1])
})

test('a holder may go on with a thread it has ended', async () => {
  const store = fileStore(join(tempFolder(), '.hexagon'))
  const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
  await store.commit({ ...edit('t', 1, { status: 'completed' }), fence })
  await store.commit({ ...edit('t', 2, { puts: [['a', '1']] }), fence, release: true })

  const thread = await store.load('t')
  expect([thread?.head.status, thread?.head.version, thread?.records.get('a')]).toEqual([
    'suspended',
    3,
    '1',
  ])
  expect((await store.history('t')).map(({ version }) => version)).toEqual([3, 2, 1])
})

test('pending reads small descriptors only, and the thread itself when one is missing, stale or torn', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  for (const id of ['a', 'b', 'c', 'd']) await askingThread(store, id, { ids: [`i_${id}`] })
  const waiting = (id: string): string => join(folder, 'waiting', `${id}.json`)
  const fresh = await allPending(store)
  const stale = readFileSync(waiting('c'))
  await store.commit(edit('c', 2, { meta: '{"new":true}' }))

  rmSync(waiting('a'))
  writeFileSync(waiting('b'), readFileSync(waiting('b'), 'utf8').slice(0, 100))
  writeFileSync(waiting('c'), stale)
  writeFileSync(waiting('d'), Buffer.alloc(300))

  const found = await allPending(store)
  expect(found.map(({ open }) => open)).toEqual(fresh.map(({ open }) => open))
  expect(found[2]?.head).toMatchObject({ version: 3, meta: '{"new":true}' })
})

test('pending shows what the descriptor says, without reading the document', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  const path = join(folder, 'waiting', 't.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('May I', 'Could I'))

  const [listed] = await allPending(store)

  expect(listed?.open[0]?.body).toBe('{"message":"Could I i_a?"}')
})

test('answers in the inbox count in lists at once, and in the descriptor afterwards', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
  const inbox = join(folder, 'threads', 't.inbox')

  await store.answer(answers('t', { i_a: '1' }))
  expect(existsSync(inbox)).toBe(true)
  expect(await allPending(store)).toMatchObject([
    { head: { status: 'ready' }, open: [{ id: 'i_b' }], answered: 1 },
  ])
  expect((await store.threads({ status: ['ready'] })).items.map(({ id }) => id)).toEqual(['t'])

  await store.commit(edit('t', 2, { consume: ['i_a'] }))
  expect(existsSync(inbox)).toBe(false)
  expect(await allPending(store)).toMatchObject([
    { head: { status: 'suspended' }, open: [{ id: 'i_b' }], answered: 0 },
  ])
  await store.answer(answers('t', { i_b: '2' }))
  expect(await allPending(store)).toEqual([])
  const { interrupts } = await store.claim('t', claimant())
  expect(interrupts.map(({ status, answer }) => [status, answer?.value])).toEqual([
    ['consumed', '1'],
    ['answered', '2'],
  ])
})

test('a thread whose last holder died before it was moved is moved by the next worker', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const points: string[] = []
  const store = fileStore(folder, {
    onFaultPoint: (point) => {
      points.push(point)
      if (points.length > 0 && point === 'closing:log-moved') throw new Error('died')
    },
  })
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.commit(edit('t', 2, { status: 'completed', cancel: ['i_a'], events: ['"end"'] }))
  expect(existsSync(join(folder, 'threads', 't.json'))).toBe(true)
  expect((await fileStore(folder).load('t'))?.head.status).toBe('completed')
  expect(await allPending(store)).toEqual([])

  expect(await fileStore(folder).claimReady(claimant(), 10)).toEqual([])

  expect(readdirSync(join(folder, 'threads'))).toEqual([])
  expect((await store.threads()).items).toMatchObject([{ id: 't', status: 'completed' }])
  expect((await store.events('t')).map(({ body }) => body)).toEqual(['"end"'])
})

test('a worker that saw a thread wait sees it when it becomes ready', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const [worker, other] = [fileStore(folder), fileStore(folder)]
  await askingThread(other, 'answered', { ids: ['i_a'] })
  await askingThread(other, 'edited', { ids: ['i_b'] })
  await askingThread(other, 'waiting', { ids: ['i_c'] })
  for (let look = 0; look < 3; look++) expect(await worker.claimReady(claimant(), 10)).toEqual([])

  await other.answer(answers('answered', { i_a: '1' }))
  await other.commit(edit('edited', 2, { status: 'ready' }))

  const claimed = await worker.claimReady(claimant(), 10)
  expect(claimed.map(({ head }) => head.id).toSorted()).toEqual(['answered', 'edited'])
  expect(await worker.claimReady(claimant(), 10)).toEqual([])
})

test('a new thread has nothing of a deleted one of its name', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.answer(answers('t', { i_a: '"old"' }))
  const inbox = readFileSync(join(folder, 'threads', 't.inbox'))
  await store.delete('t')
  writeFileSync(join(folder, 'threads', 't.inbox'), inbox)

  await askingThread(store, 't', { ids: ['i_a'] })

  expect((await store.load('t'))?.interrupts[0]).toMatchObject({ status: 'open' })
})

test('a mutex of another host ends with the lease that a person takes from it', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.claim('t', claimant())
  const lock = join(folder, 'threads', 't.lock')
  const foreign = readFileSync(lock, 'utf8').replace(/"host":"[^"]*"/, '"host":"elsewhere"')
  writeFileSync(lock, foreign)
  writeFileSync(join(folder, 'threads', 't.mutex'), foreign.replace(/"nonce":"./, '"nonce":"!'))
  const other = fileStore(folder)

  const { fence } = await other.claim('t', { ...claimant(), steal: true })
  expect(await other.release('t', fence)).toBe(true)
  await other.answer(answers('t', { i_a: '1' }))

  expect(readdirSync(join(folder, 'threads')).toSorted()).toEqual(['t.inbox', 't.json', 't.log'])
})
