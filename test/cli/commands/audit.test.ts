import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import Libsql from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { fileStore } from '../../../src/stores/file.ts'
import { sqliteStore } from '../../../src/stores/sqlite.ts'
import { answers, askingThread } from '../../contracts/store-data.ts'
import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({ 'hexagon.config.json': '{}' })
})
afterEach(() => bench.remove())

/** Two threads, an answer to each. */
async function twoAnswers(): Promise<string> {
  const store = fileStore(join(bench.folder, '.hexagon'))
  for (const id of ['aaaa1', 'bbbb1']) {
    await askingThread(store, id, { ids: [`i_${id}`] })
    await store.answer(answers(id, { [`i_${id}`]: 'true' }, { by: 'ann' }))
  }
  await store.close()
  return join(bench.folder, '.hexagon/audit.jsonl')
}

test('audit lists who answered what, of one thread or all', async () => {
  await twoAnswers()

  const all = await bench.run(['audit'])
  expect(all.code).toBe(0)
  expect(all.stdout.split('\n')[0]).toMatch(/\taaaa1\ti_aaaa1\tapproval\tann\ttrue$/u)
  expect(all.stdout).toContain('bbbb1')

  const one = await bench.run(['audit', 'bbbb', '--json'])
  expect(JSON.parse(one.stdout)).toMatchObject({
    ok: true,
    answers: [{ n: 2, thread: 'bbbb1', interrupt: 'i_bbbb1', by: 'ann', value: true }],
    broken: null,
  })
})

test('audit of a project without answers lists none', async () => {
  const { code, stdout, stderr } = await bench.run(['audit'])

  expect([code, stdout, stderr]).toEqual([0, '', 'No answers.'])
})

test('audit verify tells the head of the chain, exit 0', async () => {
  await twoAnswers()

  const { code, stdout } = await bench.run(['audit', 'verify', '--json'])

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    lines: 2,
    head: expect.stringMatching(/^[0-9a-f]{64}$/u),
    broken: null,
    missing: [],
    unknown: 0,
  })
  expect((await bench.run(['audit', 'verify'])).stderr).toContain('2 answers in one chain')
})

test('audit verify names the first line that was tampered with, exit 1', async () => {
  const path = await twoAnswers()
  writeFileSync(path, readFileSync(path, 'utf8').replace('"ann"', '"eve"'))

  const { code, stderr } = await bench.run(['audit', 'verify'])

  expect(code).toBe(1)
  expect(stderr).toContain('line 2 does not follow the line before it')
})

test('audit verify tells a line whose answer never arrived from one that did', async () => {
  await twoAnswers()
  rmSync(join(bench.folder, '.hexagon/threads/aaaa1.inbox'))

  const { code, stderr } = await bench.run(['audit', 'verify'])

  expect(code).toBe(0)
  expect(stderr).toContain('Line 1: the answer to i_aaaa1 is not in aaaa1')
  expect(stderr).not.toContain('bbbb1')
})

test('over SQLite it says the same of the same answers', async () => {
  const sqlite = ['--store', 'sqlite:threads.db']
  const clock = (): number => Date.parse('2026-01-01T00:00:00.000Z')
  const stores = [
    fileStore(join(bench.folder, '.hexagon'), { clock }),
    sqliteStore(join(bench.folder, 'threads.db'), { clock }),
  ]
  for (const store of stores) {
    await askingThread(store, 'aaaa1', { ids: ['i_a', 'i_b'] })
    await store.answer(answers('aaaa1', { i_a: 'true', i_b: '1' }, { requestId: 'r1' }))
    await store.close()
  }

  for (const words of [['audit'], ['audit', '--json'], ['audit', 'verify', '--json']]) {
    const overFiles = await bench.run(words)
    const overSqlite = await bench.run([...words, ...sqlite])
    expect([overSqlite.code, overSqlite.stdout]).toEqual([0, overFiles.stdout])
  }
  const database = new Libsql(join(bench.folder, 'threads.db'))
  database.exec("drop trigger audit_unchanged; update audit set line = '{}' where n = 2")
  database.close()
  const broken = await bench.run(['audit', 'verify', ...sqlite])
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('threads.db: line 2 is not an answer')
})
