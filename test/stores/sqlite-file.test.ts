import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { sqliteStore } from '../../src/stores/index.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
} from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

function storeAt(path: string): Store {
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  return store
}

/** Runs SQL as another program would. */
function change(path: string, sql: string): void {
  const database = new Libsql(path)
  database.exec(sql)
  database.close()
}

test('looking for what was never written makes no file', async () => {
  const path = join(tempFolder(), 'deep', 'threads.db')
  const store = storeAt(path)

  expect(await store.load('t')).toBeUndefined()
  expect(await store.pending()).toEqual({ items: [], damaged: [] })
  expect(await store.threads()).toEqual({ items: [], damaged: [] })
  expect(await store.claimReady(claimant(), 5)).toEqual([])
  expect(await store.delete('t')).toBe(false)
  expect(await store.getBlob('0'.repeat(64))).toBeUndefined()
  for (const unknown of [
    store.claim('t', claimant()),
    store.commit(edit('t', 1)),
    store.answer(answers('t', { i_a: '1' })),
    store.takeAnswers('t', 1),
  ]) {
    await expect(unknown).rejects.toMatchObject({ code: 'E1301' })
  }
  expect(await store.release('t', 1)).toBe(false)
  expect(await store.heartbeat(claimant(), [{ id: 't', fence: 1 }])).toEqual([])
  expect(existsSync(path)).toBe(false)
})

test('the database and what lies beside it are only for their owner', async () => {
  const folder = join(tempFolder(), 'new')
  const store = storeAt(join(folder, 'threads.db'))
  await store.create(newThread('t'))

  const modes = readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777)
  expect(modes.length).toBeGreaterThan(1)
  expect(new Set(modes)).toEqual(new Set([0o600]))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a closed store has everything in its one file, and opens again', async () => {
  const folder = tempFolder()
  const store = storeAt(join(folder, 'threads.db'))
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.close()

  const log = statSync(join(folder, 'threads.db-wal'), { throwIfNoEntry: false })
  expect(log?.size ?? 0).toBe(0)
  expect((await store.load('t'))?.interrupts).toHaveLength(1)
})

test('a database of a newer hexagon is refused and stays as it is', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = storeAt(path)
  await store.create(newThread('t'))
  await store.close()
  change(path, 'update hexagon set format = 99')

  await expect(store.load('t')).rejects.toMatchObject({ code: 'E1309', details: { format: 99 } })
  await expect(store.create(newThread('u'))).rejects.toMatchObject({ code: 'E1309' })
  change(path, 'update hexagon set format = 1')
  expect((await store.threads()).items.map(({ id }) => id)).toEqual(['t'])
})

test('a file that is no database, and a database of another program, are refused', async () => {
  const folder = tempFolder()
  const text = join(folder, 'text.db')
  writeFileSync(text, 'not a database '.repeat(500))
  const other = join(folder, 'other.db')
  change(other, 'create table songs (title text)')

  for (const path of [text, other]) {
    const store = storeAt(path)
    await expect(store.load('t')).rejects.toMatchObject({ code: 'E1308', details: { file: path } })
    await expect(store.create(newThread('t'))).rejects.toMatchObject({ code: 'E1308' })
  }
})

test('a place where no file can be made is named', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'file'), '')
  const path = join(folder, 'file', 'threads.db')

  const created = storeAt(path).create(newThread('t'))

  await expect(created).rejects.toMatchObject({
    code: 'E1310',
    message: expect.stringContaining(path),
  })
})

test('a writer waits for another that holds the database', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = storeAt(path)
  await store.create(newThread('t'))
  const other = new Libsql(path)
  onTestFinished(() => void other.close())
  other.exec('begin immediate')

  const committed = store.commit(edit('t', 1, { puts: [['a', '1']] }))
  expect((await store.load('t'))?.head.version).toBe(1)
  other.exec('commit')

  expect(await committed).toEqual({ version: 2, status: 'suspended' })
})

test('a lease ends with its time, and a heartbeat makes it longer', async () => {
  const path = join(tempFolder(), 'threads.db')
  let now = Date.now()
  const store = sqliteStore(path, { clock: () => now, synchronous: 'normal' })
  onTestFinished(() => store.close())
  await store.create(newThread('t', { status: 'ready' }))
  const { fence } = await store.claim('t', claimant('one', 1000))

  now += 900
  expect(await store.heartbeat(claimant('one', 1000), [{ id: 't', fence }])).toEqual(['t'])
  now += 900
  await expect(store.claim('t', claimant('two', 1000))).rejects.toMatchObject({ code: 'E1306' })
  expect((await store.load('t'))?.head.lease).toMatchObject({ owner: 'one', alive: true })
  now += 101
  expect((await store.load('t'))?.head.lease).toMatchObject({ owner: 'one', alive: false })
  const [taken] = await store.claimReady(claimant('two', 1000), 5)
  expect(taken).toMatchObject({ fence: fence + 1, head: { lease: { owner: 'two' } } })
})

test('who takes over is told of earlier answers by the claim, and not once more', async () => {
  let now = Date.now()
  const store = sqliteStore(join(tempFolder(), 'threads.db'), { clock: () => now })
  onTestFinished(() => store.close())
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.claim('t', claimant('one', 1000))
  await store.answer(answers('t', { i_a: '1' }))
  now += 1001

  const { fence, interrupts } = await store.claim('t', claimant('two', 1000))

  expect(interrupts).toMatchObject([{ id: 'i_a', status: 'answered' }])
  expect(await store.takeAnswers('t', fence)).toEqual([])
  expect(await store.commit({ ...edit('t', 2), fence })).toMatchObject({ status: 'suspended' })
})

test('a lease of another machine is kept until its time is over, unless a person takes it', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = storeAt(path)
  await store.create(newThread('t', { status: 'ready' }))
  await store.claim('t', claimant('far'))
  await store.close()
  change(path, `update thread set lease_process = json_set(lease_process, '$.host', 'elsewhere')`)

  await expect(store.claim('t', claimant('here'))).rejects.toMatchObject({ code: 'E1306' })
  expect(await store.claimReady(claimant('here'), 5)).toEqual([])
  const taken = await store.claim('t', { ...claimant('here'), steal: true })
  expect(taken.head.lease).toMatchObject({ owner: 'here', alive: true })
})

test('steal takes nothing from a process that is seen to live', async () => {
  const store = storeAt(join(tempFolder(), 'threads.db'))
  await store.create(newThread('t', { status: 'ready', claim: claimant('one') }))

  const stolen = store.claim('t', { ...claimant('two'), steal: true })

  await expect(stolen).rejects.toMatchObject({ code: 'E1306' })
})

test('the lists and the queue are read by their indexes', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = storeAt(path)
  await store.init()
  const database = new Libsql(path)
  onTestFinished(() => void database.close())
  const planOf = (sql: string): string =>
    JSON.stringify(database.prepare(`explain query plan ${sql}`).all())

  expect(
    planOf(
      "select * from thread where open > 0 and status not in ('completed', 'cancelled') and id > 'x' order by id",
    ),
  ).toContain('thread_pending')
  expect(
    planOf('select id from thread where runnable_at <= 5 order by runnable_at limit 1'),
  ).toContain('thread_runnable')
  expect(
    planOf("select * from question where thread = 'x' and status = 'open' order by ordinal"),
  ).toContain('question_open')
})

test('a text that looks like an odd one comes back as it was', async () => {
  const store = storeAt(join(tempFolder(), 'threads.db'))
  const records = [
    ['\u0001"a"', '\u0001'],
    ['plain', '\u0001"\ud800"'],
  ] as const
  await store.create(newThread('\u0001t', { records }))

  const thread = await store.load('\u0001t')

  expect(thread?.head.id).toBe('\u0001t')
  expect([...(thread?.records ?? [])]).toEqual(records)
})

test('a question refused lists those that are open, though only the named ones were read', async () => {
  const store = storeAt(join(tempFolder(), 'threads.db'))
  await askingThread(store, 't', { ids: ['i_a', 'i_b', 'i_c'] })

  await expect(store.answer(answers('t', { i_x: '1' }))).rejects.toMatchObject({
    code: 'E1214',
    details: { open: [{ id: 'i_a' }, { id: 'i_b' }, { id: 'i_c' }] },
  })
  expect(await allPending(store)).toHaveLength(1)
})

test('where the package is missing, the error says what to install; importing the stores needs it not', () => {
  const hook = `export const resolve = (name, context, next) => {
    if (name === 'libsql') throw new Error('Cannot find package')
    return next(name, context)
  }`
  const program = `
    import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})
    const { sqliteStore } = await import('./src/stores/index.ts')
    await sqliteStore('unused.db').init().catch(({ code, hint }) => console.log(code, hint))`
  const cwd = tempFolder()
  const root = join(import.meta.dirname, '../..')

  const shown = execFileSync(
    process.execPath,
    [
      '--import',
      import.meta.resolve('tsx'),
      '--input-type=module',
      '--eval',
      program.replace('./src', `${root}/src`),
    ],
    { cwd, encoding: 'utf8' },
  )

  expect(shown.trim()).toBe('E1321 npm install libsql')
})
