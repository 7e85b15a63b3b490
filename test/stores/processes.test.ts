import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { fileStore } from '../../src/stores/index.ts'
import { ProcessActor, type Actor } from '../contracts/store-actor.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

const COUNT = 8
const children: ProcessActor[] = []

beforeAll(async () => {
  const location = { open: 'fileStore', args: [] }
  const started = Array.from({ length: COUNT }, () => new ProcessActor(location).started())
  children.push(...(await Promise.all(started)))
}, 60_000)
afterAll(() => Promise.all(children.map((child) => child.kill())))

function actorsAt(folder: string): Actor[] {
  return children.map((child) => child.at({ open: 'fileStore', args: [folder] }))
}

/** Every JSON file of a store, parsed. */
function documents(folder: string): unknown[] {
  return ['threads', 'done'].flatMap((part) =>
    readdirSync(join(folder, part))
      .filter((file) => file.endsWith('.json'))
      .map((file): unknown => JSON.parse(readFileSync(join(folder, part, file), 'utf8'))),
  )
}

test('B52 eight processes on eight threads of one store leave whole files', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  for (let index = 0; index < COUNT; index++) await store.create(newThread(`t${index}`))

  await Promise.all(
    actorsAt(folder).map((actor, index) =>
      actor.run('raceCommits', { threadId: `t${index}`, by: String(index), until: 20 }),
    ),
  )

  expect(documents(folder)).toHaveLength(COUNT)
  const { items, damaged } = await store.threads()
  expect(damaged).toEqual([])
  expect(items.map(({ version }) => version)).toEqual(Array.from({ length: COUNT }, () => 20))
})

test('B52 of eight processes that take one thread, one gets it and seven are told who has it', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await fileStore(folder).create(newThread('t'))

  const won = await Promise.all(
    actorsAt(folder).map((actor, index) =>
      actor.run('raceClaims', { by: String(index), ids: ['t'] }),
    ),
  )

  expect(won.flat()).toEqual(['t'])
  expect(documents(folder)).toHaveLength(1)
  await expect(fileStore(folder).claim('t', claimant())).rejects.toMatchObject({
    code: 'E1306',
    message: expect.stringMatching(/^Thread "t" is being run by pid \d+ on \S+ since 20/),
  })
})

test('B53 two processes that answer two questions of one thread at once are both heard', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  const [ann, zoe] = actorsAt(folder)
  for (let round = 0; round < 10; round++) {
    const threadId = `t${round}`
    await askingThread(store, threadId, { ids: ['i_a', 'i_b'] })

    await Promise.all([
      ann?.run('answer', { threadId, values: { i_a: '"ann"' } }),
      zoe?.run('answer', { threadId, values: { i_b: '"zoe"' } }),
    ])

    const thread = await store.load(threadId)
    expect(thread?.interrupts.map(({ answer }) => answer?.value)).toEqual(['"ann"', '"zoe"'])
  }
})

test('B58 who reads in a loop while others write never meets half a thread', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  const until = 102
  const writing = new AbortController()
  const wrong: string[] = []
  let reads = 0

  const isWhole = async (): Promise<boolean> => {
    const { items, damaged } = await store.pending()
    const thread = await store.load('t')
    const version = thread?.head.version ?? 0
    const hasState = version <= 2 || thread?.records.has(`v${version}`) === true
    return hasState && damaged.length === 0 && items[0]?.open.length === 1
  }
  const read = async (): Promise<void> => {
    for (; !writing.signal.aborted; reads++) {
      if (!(await isWhole())) wrong.push(`read ${reads}`)
      await new Promise(setImmediate)
    }
  }
  const [one, two] = actorsAt(folder)
  const write = async (): Promise<void> => {
    await Promise.all([
      one?.run('raceCommits', { threadId: 't', by: 'one', until }),
      two?.run('raceCommits', { threadId: 't', by: 'two', until }),
    ])
    writing.abort()
  }
  await Promise.all([read(), write()])

  expect(wrong).toEqual([])
  expect(reads).toBeGreaterThan(20)
})

test('who reads while logs are rotated meets whole threads', { timeout: 60_000 }, async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await store.create(newThread('t'))
  const child = await new ProcessActor({ open: 'fileStore', args: [folder] }).started()
  const killed = new AbortController()
  let written = 0
  const work = child.follow('commitForever', { threadId: 't' }, (version) => {
    written = Number(version)
    if (written === 250) void child.kill().then(() => killed.abort())
  })
  work.catch(() => undefined)
  const wrong: string[] = []

  while (!killed.signal.aborted) {
    const sure = written
    const thread = await store.load('t')
    const version = thread?.head.version ?? 0
    const events = await store.events('t')
    const isWhole = version === 1 || thread?.records.get('n') === String(version)
    if (!isWhole || version < sure) wrong.push(`state ${version} after ${sure}`)
    if (events.length < version - 1) wrong.push(`${events.length} events at version ${version}`)
    await new Promise(setImmediate)
  }

  expect(wrong).toEqual([])
  expect(readdirSync(join(folder, 'history', 't')).length).toBeGreaterThan(4)
})

test('B61 killed right after the start, a thread is there with its input', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const child = await new ProcessActor({ open: 'fileStore', args: [folder] }).started()
  await child.run('start', { id: 't', input: '{"since":"v1"}' })

  await child.kill()

  const store = fileStore(folder)
  const thread = await store.load('t')
  expect(thread?.records.get('input')).toBe('{"since":"v1"}')
  expect(thread?.head).toMatchObject({ status: 'running', lease: { alive: false } })
  const [again] = await store.claimReady(claimant(), 1)
  expect(again?.records.get('input')).toBe('{"since":"v1"}')
})

test('B62 a thread whose process is gone shows it, a live one can not be taken', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await store.create(newThread('t'))
  const child = await new ProcessActor({ open: 'fileStore', args: [folder] }).started()
  await child.run('claim', { id: 't' })
  expect((await store.threads()).items[0]?.lease).toMatchObject({ alive: true })
  await expect(store.claim('t', claimant())).rejects.toMatchObject({ code: 'E1306' })

  await child.kill()

  const [head] = (await store.threads({ status: ['running'] })).items
  expect(head).toMatchObject({ status: 'running', lease: { owner: 'child', alive: false } })
  await store.commit(edit('t', 1))
  expect((await store.load('t'))?.head.status).toBe('suspended')
})

test('B64 a holder that lost its thread brings nothing of it back', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const [holder, other] = [fileStore(folder), fileStore(folder)]
  await askingThread(holder, 't', { ids: ['i_a'] })
  const { fence } = await holder.claim('t', claimant())
  await expect(other.delete('t')).rejects.toMatchObject({ code: 'E1306' })
  // What a person may do by hand: take the lock away.
  rmSync(join(folder, 'threads', 't.lock'))
  expect(await other.delete('t')).toBe(true)

  const late = { ...edit('t', 2, { status: 'running' }), fence }
  await expect(holder.commit(late)).rejects.toMatchObject({ code: 'E1301' })
  await expect(holder.answer(answers('t', { i_a: '1' }))).rejects.toMatchObject({ code: 'E1301' })
  await holder.close()

  expect(readdirSync(join(folder, 'threads'))).toEqual([])
  expect(readdirSync(join(folder, 'waiting'))).toEqual([])
})
