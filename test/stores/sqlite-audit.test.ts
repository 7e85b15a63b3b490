import { join } from 'node:path'

import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { arrivalsOf, readAudit as readFileAudit } from '../../src/stores/file/audit.ts'
import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { readAudit } from '../../src/stores/sqlite/audit.ts'
import { ProcessActor } from '../contracts/store-actor.ts'
import { answers, askingThread, claimant, edit } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

const NOW = Date.parse('2026-01-01T00:00:00.000Z')

/** One answer from outside, two of the holder, of whom one answers what it has just asked. */
async function threeAnswers(store: Store): Promise<void> {
  await askingThread(store, 't', { ids: ['i_1', 'i_2'] })
  await store.answer(answers('t', { i_1: 'true' }, { by: 'ann', requestId: 'r-ann' }))
  const { fence } = await store.claim('t', claimant())
  const open = [{ id: 'i_3', ordinal: 3, kind: 'input', body: '{}' }]
  const given = {
    value: '"pa55word"',
    source: '{"via":"prompt","osUser":"bea","digest":"d1"}',
    by: 'bea',
    at: '2026-01-01T00:00:00.000Z',
    requestId: 'r-bea',
  }
  const answer = ['i_2', 'i_3'].map((id) => ({ id, answer: given }))
  await store.commit({ ...edit('t', 2, { open, answer, release: true }), fence })
}

async function inDatabase(): Promise<{ readonly path: string; readonly store: Store }> {
  const path = join(tempFolder(), 'threads.db')
  const store = sqliteStore(path, { clock: () => NOW })
  onTestFinished(() => store.close())
  await threeAnswers(store)
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

test('a database and a folder keep the same lines of the same answers', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const files = fileStore(folder, { clock: () => NOW })
  await threeAnswers(files)
  const { path, store } = await inDatabase()

  const trail = await readAudit(path)

  const { lines, head, broken } = readFileAudit(folder)
  expect(lines).toHaveLength(3)
  expect(trail).toEqual({ path, lines, head })
  expect(broken).toBeUndefined()
  expect(await arrivalsOf(store, trail.lines)).toEqual(['arrived', 'arrived', 'arrived'])
})

test('a refused or repeated answer leaves no line, and what may be secret is in none', async () => {
  const { path, store } = await inDatabase()
  await store.answer(answers('t', { i_1: 'true' }, { by: 'ann', requestId: 'r-ann' }))
  await expect(store.answer(answers('t', { i_1: '2' }))).rejects.toMatchObject({ code: 'E1307' })

  const { lines } = await readAudit(path)

  expect(lines).toHaveLength(3)
  expect(lines[2]).toMatchObject({ kind: 'input' })
  expect(lines[2]).not.toHaveProperty('value')
})

test('it stays when the thread is deleted, and no statement changes or removes a line', async () => {
  const { path, store } = await inDatabase()
  await store.delete('t')
  await store.close()

  expect(() => change(path, 'delete from audit')).toThrow('append-only')
  expect(() => change(path, "update audit set line = '{}'")).toThrow('append-only')

  const { lines, broken } = await readAudit(path)
  expect([lines.length, broken]).toEqual([3, undefined])
  expect(await arrivalsOf(store, lines)).toEqual(['unknown', 'unknown', 'unknown'])
})

test.each([
  ['a changed line', 'update audit set line = replace(line, \'"ann"\', \'"bob"\') where n = 1', 2],
  ['a removed line', 'delete from audit where n = 2', 2],
  ['a line of another kind', "update audit set line = 'x' where n = 2", 2],
  ['lines in another order', 'update audit set n = n * -1', 1],
])('%s breaks the chain, and the first broken line is named', async (_, sql, line) => {
  const { path, store } = await inDatabase()
  await store.close()
  change(path, `drop trigger audit_kept; drop trigger audit_unchanged; ${sql}`)

  expect((await readAudit(path)).broken).toMatchObject({ line })
})

test('answers given at once by several processes make one chain', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const ids = Array.from({ length: 40 }, (_, index) => `i_${index}`)
  await askingThread(store, 't', { ids })
  const location = { open: 'sqliteStore', args: [path] }
  const actors = await Promise.all([1, 2, 3].map(() => new ProcessActor(location).started()))
  onTestFinished(async () => void (await Promise.all(actors.map((actor) => actor.kill()))))

  const won = await Promise.all(
    actors.map((actor, index) => actor.run('raceAnswers', { threadId: 't', by: `p${index}`, ids })),
  )

  const { lines, broken } = await readAudit(path)
  expect(broken).toBeUndefined()
  expect(lines).toHaveLength(ids.length)
  for (const { interrupt, by } of lines) expect(won[Number(by.slice(1))]).toContain(interrupt)
})

test('a database that had no such log gets one with its next use', async () => {
  const { path, store } = await inDatabase()
  await store.close()
  change(path, 'drop table audit; update hexagon set format = 1')

  expect((await readAudit(path)).lines).toEqual([])
  await askingThread(store, 'u', { ids: ['i_u'] })
  await store.answer(answers('u', { i_u: '1' }))

  expect((await readAudit(path)).lines).toMatchObject([{ n: 1, thread: 'u' }])
})

test('where nothing was ever written no file is made', async () => {
  const path = join(tempFolder(), 'threads.db')

  expect((await readAudit(path)).lines).toEqual([])
})
