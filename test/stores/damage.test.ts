import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { Layout, type ThreadFiles } from '../../src/stores/file/layout.ts'
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

interface SetUp {
  readonly folder: string
  readonly store: Store
  files(id: string): ThreadFiles
}

/** Three threads that wait, each with a question. */
async function threeWaiting(): Promise<SetUp> {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  for (const id of ['a', 'b', 'c']) await askingThread(store, id, { ids: [`i_${id}`] })
  const layout = new Layout(folder)
  return { folder, store, files: (id) => layout.filesOf(id) }
}

/** What can be wrong with a document, and what is said of it. */
const DAMAGES: readonly (readonly [what: string, content: string | Buffer, problem: RegExp])[] = [
  ['zero bytes', '', /is empty/],
  ['blanks', ' \n\n', /is empty/],
  ['NULs', Buffer.alloc(2000), /is not valid JSON \(NUL at position 0\)/],
  ['half of it', '{"format":1,"id":"b",', /is not valid JSON \(.*position 21\)/],
  ['merge marks', '<<<<<<< HEAD\n{}', /is not valid JSON/],
  ['a list', '[]', /holds a list, not an object/],
  ['a text', '"x"', /holds a string, not an object/],
  ['null', 'null', /holds null, not an object/],
  ['a number', '0', /holds a number, not an object/],
  ['an object of another kind', '{}', /has no known format/],
  ['an object without members', '{"format":1}', /"interrupts" is missing or of another kind/],
]

test.each(DAMAGES)(
  'B55 B56 O10 a document of %s is named and hides nothing',
  async (_, content, problem) => {
    const { store, files } = await threeWaiting()
    const { document } = files('b')
    writeFileSync(document, content)

    const pending = await store.pending()
    expect(pending.items.map(({ head }) => head.id)).toEqual(['a', 'c'])
    expect(pending.damaged).toEqual([
      { threadId: 'b', file: document, problem: expect.stringMatching(problem) },
    ])
    const threads = await store.threads()
    expect(threads.items.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(threads.damaged).toHaveLength(1)
    for (const act of [
      () => store.load('b'),
      () => store.claim('b', claimant()),
      () => store.answer(answers('b', { i_b: '1' })),
      () => store.commit(edit('b', 2)),
    ]) {
      await expect(act()).rejects.toMatchObject({
        code: 'E1308',
        message: expect.stringContaining(document),
        hint: expect.stringContaining('doctor'),
      })
    }
    expect(await store.claimReady(claimant(), 10)).toEqual([])
    expect(readFileSync(document).equals(Buffer.from(content))).toBe(true)
  },
)

test('a log that is damaged in the middle is named and hides nothing', async () => {
  const { store, files } = await threeWaiting()
  const { log } = files('b')
  const bytes = readFileSync(log)
  bytes[bytes.length >> 1] = 88
  writeFileSync(log, bytes)

  const pending = await store.pending()
  expect(pending.items.map(({ head }) => head.id)).toEqual(['a', 'c'])
  expect(pending.damaged).toMatchObject([{ threadId: 'b', file: log, problem: /checksum/ }])
  await expect(store.events('b')).rejects.toMatchObject({ code: 'E1308' })
})

test('a log or a document that is missing is damage, not an older state', async () => {
  const { store, files } = await threeWaiting()
  const { fence } = await store.claim('a', claimant())
  const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
  await store.commit({ ...edit('a', 2, { status: 'running', puts: large }), fence })
  rmSync(files('a').document)
  await expect(store.checkpointAt('a', 1)).resolves.toMatchObject({ head: { version: 1 } })
  await expect(fileStore(join(files('a').document, '../..')).load('a')).rejects.toMatchObject({
    code: 'E1308',
    message: expect.stringMatching(/a\.log: begins behind record/),
  })

  truncateSync(files('b').log, readFileSync(files('b').log).indexOf('\n') + 1)
  await expect(store.load('b')).rejects.toMatchObject({
    code: 'E1308',
    message: expect.stringMatching(/b\.log: ends at record 0, the document has 2/),
  })
})

test('a newer format is refused by name, of a thread and of the whole store', async () => {
  const { store, folder, files } = await threeWaiting()
  const { document } = files('b')
  writeFileSync(document, readFileSync(document, 'utf8').replace('"format": 1', '"format": 2'))
  await expect(store.load('b')).rejects.toMatchObject({ code: 'E1309' })
  const { items, damaged } = await store.pending()
  expect(items).toHaveLength(2)
  expect(damaged).toMatchObject([{ threadId: 'b', file: document, problem: /newer hexagon/ }])

  writeFileSync(join(folder, 'store.json'), '{"format":2,"createdBy":"9.0.0"}')
  const later = fileStore(folder)
  await expect(later.pending()).rejects.toMatchObject({ code: 'E1309' })
  await expect(later.create(newThread('d'))).rejects.toMatchObject({ code: 'E1309' })
})

test('a byte order mark and another layout are no damage', async () => {
  const { store, files } = await threeWaiting()
  const { document } = files('b')
  const before = await store.load('b')
  const parsed: unknown = JSON.parse(readFileSync(document, 'utf8'))
  writeFileSync(document, `\uFEFF${JSON.stringify(parsed, null, 4)}\r\n`)

  expect(await store.load('b')).toEqual(before)
  expect((await allPending(store)).map(({ head }) => head.id)).toEqual(['a', 'b', 'c'])
})

test('what a crash cut off at the end of a log is ignored, and cut away by the next holder', async () => {
  const { store, files } = await threeWaiting()
  const { log } = files('b')
  const whole = readFileSync(log).length
  appendFileSync(log, '0badc0de 3 {"kind":"commit","ver')

  expect((await store.load('b'))?.head.version).toBe(2)
  expect((await allPending(store)).map(({ head }) => head.id)).toEqual(['a', 'b', 'c'])
  const { fence } = await store.claim('b', claimant())
  expect(readFileSync(log).subarray(whole).toString()).not.toContain('0badc0de')
  await store.commit({ ...edit('b', 2, { release: true }), fence })
  expect((await store.history('b')).map(({ version }) => version)).toEqual([3, 2, 1])
})

test('a file that was copied to another name is not taken for another thread', async () => {
  const { store, files } = await threeWaiting()
  writeFileSync(files('d').document, readFileSync(files('a').document))
  writeFileSync(files('d').log, readFileSync(files('a').log))

  await expect(store.load('d')).rejects.toMatchObject({
    code: 'E1308',
    message: expect.stringContaining('belongs to thread "a"'),
  })
})

test('a damaged thread can be deleted', async () => {
  const { store, files } = await threeWaiting()
  writeFileSync(files('b').document, '')

  expect(await store.delete('b')).toBe(true)

  expect((await store.threads()).damaged).toEqual([])
  await store.create(newThread('b'))
})

test('a blob that changed is damage', async () => {
  const { store, folder } = await threeWaiting()
  const hash = await store.putBlob(Buffer.from('bytes'))
  writeFileSync(join(folder, 'blobs', hash.slice(0, 2), hash), 'other')

  await expect(store.getBlob(hash)).rejects.toMatchObject({ code: 'E1308' })
  expect(await store.getBlob('../../etc/passwd')).toBeUndefined()
})
