import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import type { FaultPoint } from '../../src/stores/file/disk.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

/** A store whose disk fails at chosen places. */
class FailingDisk {
  readonly folder = join(tempFolder(), '.hexagon')
  readonly store: Store
  #failing: ReadonlySet<FaultPoint> = new Set()
  #code = ''

  constructor() {
    this.store = fileStore(this.folder, {
      onFaultPoint: (point) => {
        if (!this.#failing.has(point)) return
        throw Object.assign(new Error(`${this.#code}: injected`), { code: this.#code })
      },
    })
  }

  fail(code: string, ...points: FaultPoint[]): void {
    this.#code = code
    this.#failing = new Set(points)
  }

  recover(): void {
    this.#failing = new Set()
  }
}

test.each([
  ['ENOSPC', 'E1311', /^No space left on device: .*t\.log\. What was committed before is intact$/],
  ['EDQUOT', 'E1311', /^No space left on device/],
  ['EROFS', 'E1310', /^Cannot write .*t\.log: read-only file system$/],
  ['EACCES', 'E1310', /^Cannot write .*t\.log: permission denied$/],
  ['EIO', 'E1310', /^Cannot write .*t\.log: the device reports an error$/],
])(
  '32 a commit that meets %s is refused with %s and leaves the old state',
  async (code, expected, message) => {
    const disk = new FailingDisk()
    const { store } = disk
    const { fence } = await store.create(newThread('t', { claim: claimant(), status: 'running' }))
    await store.commit({ ...edit('t', 1, { status: 'running', puts: [['a', '1']] }), fence })
    const batch = {
      ...edit('t', 2, { status: 'running', puts: [['a', '2']], events: ['"e"'] }),
      fence,
    }

    for (const point of ['log:write', 'log:written'] as const) {
      disk.fail(code, point)
      await expect(store.commit(batch)).rejects.toMatchObject({
        code: expected,
        message: expect.stringMatching(message),
        cause: expect.objectContaining({ code }),
      })
      const seen = await fileStore(disk.folder).load('t')
      expect([seen?.head.version, seen?.records.get('a')]).toEqual([2, '1'])
      expect(await fileStore(disk.folder).events('t')).toEqual([])
    }

    disk.recover()
    expect(await store.commit(batch)).toEqual({ version: 3, status: 'running' })
    expect((await fileStore(disk.folder).load('t'))?.records.get('a')).toBe('2')
  },
)

test('after a sync that failed nothing more is written until the thread is taken anew', async () => {
  const disk = new FailingDisk()
  const { store } = disk
  const { fence } = await store.create(newThread('t', { claim: claimant(), status: 'running' }))
  const batch = { ...edit('t', 1, { status: 'running', puts: [['a', '1']] }), fence }
  disk.fail('EIO', 'log:synced')
  await expect(store.commit(batch)).rejects.toMatchObject({ code: 'E1310' })
  disk.recover()
  await expect(store.commit({ ...batch, expectVersion: 2 })).rejects.toMatchObject({
    code: 'E1310',
  })

  await store.close()

  const again = await store.claim('t', claimant())
  const next = { ...batch, expectVersion: again.head.version, fence: again.fence }
  expect(await store.commit(next)).toMatchObject({ version: again.head.version + 1 })
})

test('32 a thread that can not be made is not there, and its name stays free', async () => {
  const disk = new FailingDisk()
  await disk.store.init()
  const points = [
    'temp:write',
    'temp:written',
    'temp:synced',
    'folder:sync',
    'lease:place',
  ] as const
  for (const point of points) {
    disk.fail('ENOSPC', point)
    await expect(disk.store.create(newThread(point.replace(':', '-')))).rejects.toThrow(
      /ENOSPC|space/,
    )
  }
  disk.recover()

  for (const point of points) {
    const id = point.replace(':', '-')
    const seen = await disk.store.load(id)
    // When only the folder's sync failed, the thread may be there; then it is whole.
    expect(seen?.head.version ?? 1).toBe(1)
    if (seen === undefined) await disk.store.create(newThread(id))
    await disk.store.commit(edit(id, 1, { puts: [['a', '1']] }))
  }
  expect(readdirSync(join(disk.folder, 'tmp')).filter((name) => !name.includes('mutex'))).toEqual(
    [],
  )
})

test('an answer that can not be stored is refused, and can be given again', async () => {
  const disk = new FailingDisk()
  const { store } = disk
  await askingThread(store, 't', { ids: ['i_a', 'i_b'] })
  for (const point of ['inbox:write', 'inbox:written', 'inbox:synced'] as const) {
    disk.fail('ENOSPC', point)
    await expect(store.answer(answers('t', { i_a: '1' }))).rejects.toMatchObject({ code: 'E1311' })
    expect((await store.load('t'))?.interrupts.map(({ status }) => status)).toEqual([
      'open',
      'open',
    ])
  }
  disk.recover()

  await store.answer(answers('t', { i_a: '2' }))
  await store.answer(answers('t', { i_b: '3' }))

  const { interrupts } = await store.claim('t', claimant())
  expect(interrupts.map(({ answer }) => answer?.value)).toEqual(['2', '3'])
})

test('a commit counts although the document could not be written, and that is made up for', async () => {
  const disk = new FailingDisk()
  const { store } = disk
  await askingThread(store, 't', { ids: ['i_a'] })
  const document = join(disk.folder, 'threads', 't.json')
  disk.fail('ENOSPC', 'document:place')

  const batch = edit('t', 2, { puts: [['a', '1']] })
  expect(await store.commit(batch)).toEqual({ version: 3, status: 'suspended' })

  expect(readFileSync(document, 'utf8')).toContain('"version": 2')
  expect((await store.load('t'))?.records.get('a')).toBe('1')
  expect((await store.pending()).items.map(({ head }) => head.version)).toEqual([3])
  disk.recover()
  await store.commit(edit('t', 3))
  expect(readFileSync(document, 'utf8')).toContain('"version": 4')
})

test('32 a store that can not be made says why', async () => {
  const parent = tempFolder()
  writeFileSync(join(parent, 'file'), '')

  await expect(fileStore(join(parent, 'file')).create(newThread('t'))).rejects.toMatchObject({
    code: 'E1310',
    message: `Cannot write ${join(parent, 'file')}: a file is in its place`,
  })
  const inside = join(parent, 'file', '.hexagon')
  await expect(fileStore(inside).create(newThread('t'))).rejects.toMatchObject({
    code: 'E1310',
    message: `Cannot write ${inside}: a part of the path is not a folder`,
  })
})

test.each(['document:place', 'document:placed'] as const)(
  '32 a rename that fails, or says so although it was done, as over a network, loses nothing: %s',
  async (point) => {
    const disk = new FailingDisk()
    const { store } = disk
    await askingThread(store, 't', { ids: ['i_a'] })
    disk.fail('ESTALE', point)

    await store.answer(answers('t', { i_a: '1' }))
    const { fence } = await store.claim('t', claimant())
    const batch = { consume: ['i_a'], puts: [['a', '1']], release: true } as const
    expect(await store.commit({ ...edit('t', 2, batch), fence })).toMatchObject({ version: 3 })
    const end = edit('t', 3, { status: 'completed' })
    expect(await store.commit(end)).toEqual({ version: 4, status: 'completed' })

    for (const reader of [store, fileStore(disk.folder)]) {
      expect((await reader.load('t'))?.head).toMatchObject({ version: 4, status: 'completed' })
      expect((await reader.history('t')).map(({ version }) => version)).toEqual([4, 3, 2, 1])
      expect((await reader.threads()).items).toHaveLength(1)
    }
    disk.recover()
    await store.commit(edit('t', 4, { puts: [['a', '2']] }))
    expect((await fileStore(disk.folder).load('t'))?.records.get('a')).toBe('2')
  },
)

test('32 a file too huge to be read is named, and hides no other', async () => {
  const disk = new FailingDisk()
  for (const id of ['huge', 'other']) await askingThread(disk.store, id, { ids: [`i_${id}`] })
  await disk.store.close()
  // It has no content, only a length.
  truncateSync(join(disk.folder, 'threads', 'huge.json'), 5 * 2 ** 30)
  const store = fileStore(disk.folder)

  const { items, damaged } = await store.threads()

  expect(items.map(({ id }) => id)).toEqual(['other'])
  expect(damaged).toMatchObject([
    { threadId: 'huge', file: join(disk.folder, 'threads/huge.json') },
  ])
  await expect(store.claim('huge', claimant())).rejects.toMatchObject({ code: 'E1308' })
})
