import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import type { Finding } from '../../src/stores/file/finding.ts'
import { sqliteStore } from '../../src/stores/index.ts'
import { SqliteInspection } from '../../src/stores/sqlite/inspection.ts'
import {
  allPending,
  answers,
  askingThread,
  claimant,
  edit,
  newThread,
  question,
} from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

interface Place {
  readonly path: string
  readonly store: Store
}

/** Three threads that ask; `bad` has been through more. */
async function threeThreads(): Promise<Place> {
  const path = join(tempFolder(), 'threads.db')
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  for (const id of ['aaaa', 'bad', 'zzzz']) await askingThread(store, id, { ids: [`i_${id}`] })
  const { fence } = await store.claim('bad', claimant())
  await store.answer(answers('bad', { i_bad: '"yes"' }))
  const running = { ...edit('bad', 2, { status: 'running' }), fence }
  await store.commit({ ...running, consume: ['i_bad'], puts: [['n', '3']], events: ['"e"'] })
  const next = { ...running, expectVersion: 3, status: 'suspended', release: true } as const
  await store.commit({ ...next, open: [question('i_b2', 2)], puts: [['n', '4']] })
  await store.close()
  return { path, store }
}

/** Runs SQL as another program would. */
function change(path: string, sql: string): void {
  const database = new Libsql(path)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

async function findings(path: string): Promise<readonly Finding[]> {
  const inspection = new SqliteInspection(path)
  onTestFinished(() => inspection.close())
  return (await inspection.inspect()).findings
}

async function repaired(path: string): Promise<string[]> {
  const done: string[] = []
  for (const { repair } of await findings(path)) if (repair !== undefined) done.push(await repair())
  return done
}

test('of a sound database nothing is found, also while threads are run', async () => {
  const { path, store } = await threeThreads()
  await store.claim('aaaa', claimant())
  await store.prune('bad', 2)
  await store.putBlob(Buffer.from('bytes'))
  const inspection = new SqliteInspection(path)

  expect(await inspection.inspect()).toEqual({ threads: 3, findings: [] })
  await inspection.close()
  expect(await findings(join(tempFolder(), 'none.db'))).toEqual([])
})

test.each([
  ['a status nobody writes', "update thread set status = 'lost' where id = 'bad'", 'status'],
  [
    'a lease that is no JSON',
    "update thread set lease = '{' where id = 'bad'",
    'lease is not JSON',
  ],
  ['a version that is no number', "update thread set version = 'x' where id = 'bad'", 'version'],
  [
    'a question without a status',
    "update question set status = '' where thread = 'bad'",
    'question',
  ],
  ['an answer that is no JSON', "update question set answer = '{' where id = 'i_bad'", 'answer'],
  [
    'a record that was changed',
    "update record set value = '5' where thread = 'bad'",
    'what its changes',
  ],
  ['a record that is gone', "delete from record where thread = 'bad'", 'what its changes'],
  ['a question that is gone', "delete from question where id = 'i_b2'", 'what its changes'],
])(
  'a thread with %s is named, hides no other, and is put right from its changes',
  async (_, sql, problem) => {
    const { path, store } = await threeThreads()
    const before = await store.load('bad')
    await store.close()
    change(path, sql)

    const found = await findings(path)
    expect(found).toMatchObject([{ kind: 'damaged', threadId: 'bad', file: path }])
    expect(found[0]?.problem).toContain(problem)
    expect((await allPending(store)).map(({ head }) => head.id)).toEqual(
      expect.arrayContaining(['aaaa', 'zzzz']),
    )
    expect(await repaired(path)).toEqual([
      expect.stringMatching(/^restored to version 4, nothing is lost/u),
    ])

    expect(await findings(path)).toEqual([])
    expect(await store.load('bad')).toEqual(before)
    expect((await store.threads()).damaged).toEqual([])
    const kept = readdirSync(dirname(path)).filter((name) => name.endsWith('.kept'))
    expect(kept).toHaveLength(1)
  },
)

test('a thread that can not be read is beside the others in every list', async () => {
  const { path, store } = await threeThreads()
  change(path, "update thread set status = 'lost' where id = 'bad'")
  change(path, "update question set answer = '{' where id = 'i_zzzz'")

  const threads = await store.threads()
  const pending = await store.pending()

  expect(threads.items.map(({ id }) => id)).toEqual(['aaaa', 'zzzz'])
  expect(threads.damaged).toEqual([
    { threadId: 'bad', file: path, problem: 'thread "bad": its status is "lost"' },
  ])
  expect(pending.items.map(({ head }) => head.id)).toEqual(['aaaa'])
  expect(pending.damaged.map(({ threadId }) => threadId)).toEqual(['bad', 'zzzz'])
  await expect(store.load('zzzz')).rejects.toMatchObject({ code: 'E1308' })
})

test('a change that can not be read leaves a hole in the past, and the thread as it is', async () => {
  const { path, store } = await threeThreads()
  const before = await store.load('bad')
  await store.close()
  change(path, "update change set body = '{' where thread = 'bad' and version = 3")
  expect(await findings(path)).toMatchObject([{ threadId: 'bad', kind: 'damaged' }])

  expect(await repaired(path)).toEqual([expect.stringContaining('its past has a hole')])

  expect(await findings(path)).toEqual([])
  expect(await store.load('bad')).toEqual(before)
  expect((await store.history('bad')).map(({ version }) => version)).toEqual([4, 2, 1])
  expect((await store.checkpointAt('bad', 2))?.head.version).toBe(2)
  expect(await store.checkpointAt('bad', 4)).toBeUndefined()
  await store.answer(answers('bad', { i_b2: '1' }))
  await store.commit(edit('bad', 4, { consume: ['i_b2'] }))
  expect((await store.checkpointAt('bad', 5))?.records.get('n')).toBe('4')
  expect(await findings(path)).toEqual([])
})

test('a thread damaged in rows and changes is put back, and what came after is in doubt', async () => {
  const { path, store } = await threeThreads()
  change(path, "update change set body = '{' where thread = 'bad' and version = 4")
  change(path, "update thread set status = 'lost' where id = 'bad'")

  expect(await repaired(path)).toEqual([
    expect.stringMatching(/^restored to version 3; what came after it is in doubt/u),
  ])

  expect(await findings(path)).toEqual([])
  const thread = await store.load('bad')
  expect(thread?.head).toMatchObject({ version: 5, status: 'running' })
  expect(thread?.records.get('n')).toBe('3')
  expect(JSON.parse(thread?.head.meta ?? '')).toMatchObject({ inDoubt: { afterVersion: 3 } })
  expect((await store.history('bad'))[0]).toMatchObject({ version: 5, label: 'restored' })
})

test('a thread of which nothing good is left stays as it is', async () => {
  const { path, store } = await threeThreads()
  change(path, "update change set body = '{' where thread = 'bad'")
  change(path, "update thread set status = 'lost' where id = 'bad'")
  const [finding] = await findings(path)

  await expect(finding?.repair?.()).rejects.toMatchObject({
    message: expect.stringContaining('no good version of it is left'),
  })
  expect((await store.threads()).damaged).toHaveLength(1)
})

test('rows without their thread are made one again, or removed', async () => {
  const { path, store } = await threeThreads()
  const before = await store.load('bad')
  await store.close()
  change(path, "delete from thread where id = 'bad'")
  change(path, "insert into record values ('ghost', 'n', '1')")
  expect(await findings(path)).toMatchObject([
    { kind: 'orphan', threadId: 'bad' },
    { kind: 'orphan', threadId: 'ghost' },
  ])

  expect(await repaired(path)).toEqual([
    expect.stringMatching(/^restored to version 4/u),
    expect.stringMatching(/^removed them/u),
  ])

  expect(await findings(path)).toEqual([])
  expect(await store.load('bad')).toEqual(before)
})

test('a thread somebody runs is not repaired', async () => {
  const { path, store } = await threeThreads()
  await store.claim('bad', claimant())
  change(path, "update record set value = '5' where thread = 'bad'")
  const [finding] = await findings(path)

  await expect(finding?.repair?.()).rejects.toMatchObject({ code: 'E1306' })
})

test('a blob with other bytes is named', async () => {
  const { path, store } = await threeThreads()
  const hash = await store.putBlob(Buffer.from('bytes'))
  await store.close()
  change(path, "update blob set bytes = x'00'")

  expect((await findings(path)).map(({ problem }) => problem)).toEqual([
    `has other bytes under the hash ${hash}`,
  ])
})

test('a page that was overwritten is told, and the threads elsewhere are still listed', async () => {
  const { path, store } = await threeThreads()
  const meta = JSON.stringify('x'.repeat(60_000))
  await store.create(newThread('large', { meta }))
  await store.close()
  const text = readFileSync(path, 'latin1')
  // A page in the middle of the long value: the chain of its pages is cut.
  const page = Math.floor(text.indexOf('x'.repeat(4000)) / 4096) + 2
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096)
  closeSync(file)

  const found = await findings(path)
  expect(found[0]).toMatchObject({ kind: 'damaged', hint: expect.stringContaining('store copy') })
  expect(found[0]?.repair).toBeUndefined()
  const { items, damaged } = await store.threads()
  expect(items.map(({ id }) => id)).toEqual(['aaaa', 'bad', 'zzzz'])
  expect(damaged).toMatchObject([{ threadId: 'large' }])
})

test('an index that does not fit is made anew', async () => {
  const { path, store } = await threeThreads()
  // What another program can do that may write the schema: an entry is missing in the index.
  change(
    path,
    `pragma writable_schema = on;
     update sqlite_master set sql = replace(sql, 'where open > 0', 'where open > 9') where name = 'thread_pending';
     pragma writable_schema = reset; reindex thread_pending;
     pragma writable_schema = on;
     update sqlite_master set sql = replace(sql, 'where open > 9', 'where open > 0') where name = 'thread_pending'`,
  )
  const found = await findings(path)
  expect(found).toMatchObject([{ kind: 'damaged', problem: expect.stringContaining('index') }])

  expect(await repaired(path)).toEqual(['made its indexes anew; nothing is lost'])

  expect(await findings(path)).toEqual([])
  expect(await allPending(store)).toHaveLength(3)
})

test.each([
  ['no database', (path: string) => writeFileSync(path, 'text '.repeat(1000)), 'damaged'],
  [
    'one of another program',
    (path: string) => change(path, 'create table songs (title text)'),
    'damaged',
  ],
  [
    'one of a newer hexagon',
    (path: string) =>
      change(path, 'create table hexagon (format integer); insert into hexagon values (99)'),
    'newer',
  ],
])('%s is told as a whole and left as it is', async (_, make, kind) => {
  const path = join(tempFolder(), 'threads.db')
  make(path)
  const before = readFileSync(path)

  expect(await findings(path)).toMatchObject([{ kind, file: path, hint: expect.any(String) }])

  expect(readFileSync(path).equals(before)).toBe(true)
  expect(existsSync(`${path}.kept`)).toBe(false)
})

test('a pruned thread is what its changes have made of it', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = sqliteStore(path)
  await store.create(newThread('t', { events: ['"1"', '"2"'] }))
  for (const version of [1, 2, 3]) {
    await store.commit(edit('t', version, { events: ['"e"'], puts: [['n', String(version)]] }))
  }
  await store.prune('t', 2)
  await store.close()

  expect(await findings(path)).toEqual([])
})
