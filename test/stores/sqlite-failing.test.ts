import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { sqliteStore } from '../../src/stores/index.ts'
import type { SqlPoint } from '../../src/stores/sqlite/database.ts'
import { SqliteInspection } from '../../src/stores/sqlite/inspection.ts'
import { ProcessActor } from '../contracts/store-actor.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { bundle } from '../support/bundle.ts'
import { tempFolder } from './temp-folder.ts'

/** A store whose database fails at chosen places. */
class FailingDatabase {
  readonly path = join(tempFolder(), 'threads.db')
  readonly store: Store
  #fault: { readonly point: SqlPoint; readonly rawCode: number; times: number } | undefined

  constructor() {
    this.store = sqliteStore(this.path, {
      onFaultPoint: (point) => {
        if (this.#fault?.point !== point || this.#fault.times-- <= 0) return
        throw Object.assign(new Error('injected'), { rawCode: this.#fault.rawCode })
      },
    })
    onTestFinished(() => this.store.close())
  }

  fail(point: SqlPoint, rawCode: number, times = 1): void {
    this.#fault = { point, rawCode, times }
  }
}

test.each([
  [
    'a full disk',
    13,
    'E1311',
    /^No space left on device: \S+\. What was committed before is intact$/u,
  ],
  ['a write that fails', 778, 'E1310', /^Cannot write \S+: injected$/u],
  ['a file that became read-only', 776, 'E1310', /^Cannot write \S+: injected \(SQLite writes/u],
  ['a page that can not be read', 11, 'E1308', /threads\.db: injected$/u],
])(
  '32 a commit that meets %s is refused and leaves the old state',
  async (_, rawCode, code, message) => {
    const database = new FailingDatabase()
    const { store } = database
    const { fence } = await store.create(newThread('t', { claim: claimant(), status: 'running' }))
    await store.commit({ ...edit('t', 1, { status: 'running', puts: [['a', '1']] }), fence })
    const batch = {
      ...edit('t', 2, { status: 'running', puts: [['a', '2']], events: ['"e"'] }),
      fence,
    }

    for (const point of [
      'transaction:begun',
      'transaction:statement',
      'transaction:commit',
    ] as const) {
      database.fail(point, rawCode)
      await expect(store.commit(batch)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      })
      const seen = await sqliteStore(database.path).load('t')
      expect([seen?.head.version, seen?.records.get('a')]).toEqual([2, '1'])
      expect(await store.events('t')).toEqual([])
    }

    expect(await store.commit(batch)).toEqual({ version: 3, status: 'running' })
  },
)

test('32 an answer that can not be stored is refused without a line in the audit log', async () => {
  const database = new FailingDatabase()
  const { store } = database
  await askingThread(store, 't', { ids: ['i_a'] })
  database.fail('transaction:commit', 13)
  await expect(store.answer(answers('t', { i_a: '1' }))).rejects.toMatchObject({ code: 'E1311' })
  expect((await store.load('t'))?.interrupts[0]?.status).toBe('open')

  expect(await store.answer(answers('t', { i_a: '2' }))).toEqual({ woken: true })

  expect((await store.load('t'))?.interrupts[0]?.answer?.value).toBe('2')
})

test('another writer that is in the way for a while only makes it slower', async () => {
  const database = new FailingDatabase()
  await database.store.create(newThread('t'))
  database.fail('transaction:begun', 5, 10)

  expect(await database.store.commit(edit('t', 1))).toEqual({ version: 2, status: 'suspended' })
})

test('32 where files may not grow any more, a commit is refused and what was there can be read', async () => {
  const folder = tempFolder()
  const [path, script] = [join(folder, 'threads.db'), join(folder, 'full.mjs')]
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.close()
  const source = join(folder, 'full.ts')
  writeFileSync(
    source,
    `import { sqliteStore } from ${JSON.stringify(join(import.meta.dirname, '../../src/stores/index.ts'))}
    const store = sqliteStore(process.argv[2])
    const puts = [['large', JSON.stringify('x'.repeat(3_000_000))]]
    const batch = { threadId: 't', expectVersion: 2, fence: null, status: 'suspended', puts }
    await store.commit(batch).catch(({ code, message }) => console.log(code, message))
    console.log((await store.load('t')).head.version)`,
  )
  await bundle(source, script)

  // In blocks of 512 or 1024 bytes: a megabyte or two.
  const limited = `trap '' XFSZ; ulimit -f 2000; exec "${process.execPath}" "${script}" "${path}"`
  const output = execFileSync('sh', ['-c', limited], { encoding: 'utf8' })

  expect(output).toMatch(/^E131[01] .*threads\.db.*\n2\n$/u)
  expect((await store.load('t'))?.head.version).toBe(2)
  expect(await store.commit(edit('t', 2))).toMatchObject({ version: 3 })
})

test('14 the log that a killed process left beside the database is read by the next', async () => {
  const path = join(tempFolder(), 'threads.db')
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const child = await new ProcessActor({ open: 'sqliteStore', args: [path] }).started()
  await child.run('start', { id: 't', input: '"kept"' })
  await child.kill()
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)

  expect((await store.load('t'))?.records.get('input')).toBe('"kept"')
  const inspection = new SqliteInspection(path)
  expect(await inspection.inspect()).toEqual({ threads: 1, findings: [] })
  await inspection.close()
  const [taken] = await store.claimReady(claimant(), 1)
  expect(taken).toMatchObject({ fence: 2, head: { id: 't' } })
})
