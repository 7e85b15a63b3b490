import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { tempOwner } from '../../src/stores/file/disk.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, askingThread, claimant, edit, newThread } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

function modes(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    paths.map((path) => {
      const { mode } = statSync(join(folder, path))
      return [path, (mode & 0o777).toString(8)]
    }),
  )
}

async function usedStore(folder: string): Promise<void> {
  const store = fileStore(folder, { createdBy: '0.1.0' })
  await askingThread(store, 'a', { ids: ['i_a', 'i_b'] })
  await store.answer(answers('a', { i_a: '1' }))
  const { fence } = await store.claim('a', claimant())
  const large = [['large', JSON.stringify('x'.repeat(1_100_000))]] as const
  await store.commit({ ...edit('a', 2, { status: 'running', puts: large }), fence })
  await store.commit({ ...edit('a', 3, { release: true }), fence })
  await askingThread(store, 'done', { ids: ['i_c'] })
  await store.commit(edit('done', 2, { status: 'completed', cancel: ['i_c'] }))
  await store.putBlob(Buffer.from('x'))
  await store.close()
}

test('a store is a folder for its owner only, ignored by git, that says its format', async () => {
  const folder = join(tempFolder(), 'deep', '.hexagon')

  await usedStore(folder)

  expect((statSync(folder).mode & 0o777).toString(8)).toBe('700')
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  expect(JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8'))).toEqual({
    format: 1,
    createdBy: '0.1.0',
  })
  expect(readdirSync(join(folder, 'threads')).toSorted()).toEqual(['a.json', 'a.log'])
  expect(readdirSync(join(folder, 'done'))).toEqual(['done.json'])
  expect(readdirSync(join(folder, 'waiting'))).toEqual(['a.json'])
  expect(readdirSync(join(folder, 'history', 'a')).length).toBe(2)
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
})

test('O11 files are 0600 and folders 0700, whatever is rewritten and whatever the umask', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))

  await usedStore(folder)
  await fileStore(folder).commit(edit('a', 4, { puts: [['more', '1']] }))

  const found = modes(folder)
  const files = Object.entries(found).filter(([path]) => statSync(join(folder, path)).isFile())
  const folders = Object.entries(found).filter(([path]) => !statSync(join(folder, path)).isFile())
  expect(files.length).toBeGreaterThan(7)
  expect(new Set(files.map(([, mode]) => mode))).toEqual(new Set(['600']))
  expect(new Set(folders.map(([, mode]) => mode))).toEqual(new Set(['700']))
})

test('O11 a store behind a symbolic link stays behind it', async () => {
  const parent = tempFolder()
  mkdirSync(join(parent, 'real'), { mode: 0o700 })
  symlinkSync('real', join(parent, '.hexagon'))

  await usedStore(join(parent, '.hexagon'))

  expect(lstatSync(join(parent, '.hexagon')).isSymbolicLink()).toBe(true)
  expect(existsSync(join(parent, 'real', 'threads', 'a.json'))).toBe(true)
  expect((await fileStore(join(parent, 'real')).load('a'))?.head.version).toBe(4)
})

test('the document is readable JSON, whole and up to date whenever nobody runs the thread', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await store.create(newThread('a', { records: [['state.bump', '{"to":"minor"}']] }))
  await store.commit(edit('a', 1, { puts: [['state.log', '["one"]']], meta: '{"by":"ann"}' }))

  const document: unknown = JSON.parse(readFileSync(join(folder, 'threads', 'a.json'), 'utf8'))

  expect(document).toMatchObject({
    format: 1,
    id: 'a',
    status: 'suspended',
    version: 2,
    meta: { by: 'ann' },
    records: { 'state.bump': { to: 'minor' }, 'state.log': ['one'] },
    interrupts: [],
  })
})

test('S166 saved twice a thread has version 2, and what is not there is nothing or an error', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  await store.create(newThread('t'))
  await store.commit(edit('t', 1))
  expect((await store.load('t'))?.head.version).toBe(2)

  await expect(store.commit(edit('t', 1))).rejects.toMatchObject({ code: 'E1307' })
  expect(await store.load('missing')).toBeUndefined()
  expect(await store.delete('missing')).toBe(false)
  await expect(store.load('')).rejects.toMatchObject({ code: 'E1012' })
  writeFileSync(join(folder, 'threads', 't.json'), '{')
  await expect(store.load('t')).rejects.toMatchObject({ code: 'E1308' })
})

test('S167 O22 no id leads out of the folder', async () => {
  const parent = tempFolder()
  const folder = join(parent, '.hexagon')
  const store = fileStore(folder)
  const ids = [
    '../../x',
    '/etc/x',
    'a/../../b',
    '..',
    '.',
    'a\u0000b',
    'C:\\x',
    '~',
    '\ud800',
    '🐎',
  ]
  for (const id of ids) {
    await askingThread(store, id, { ids: [`i_${ids.indexOf(id)}`] })
    await store.answer(answers(id, { [`i_${ids.indexOf(id)}`]: '1' }))
  }

  expect(readdirSync(parent)).toEqual(['.hexagon'])
  expect(readdirSync(join(folder, 'threads')).filter((file) => !/^[\w-]*~/.test(file))).toEqual([])
  const { items } = await store.threads()
  expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  for (const id of ids) expect(await store.delete(id)).toBe(true)
  expect(readdirSync(join(folder, 'threads'))).toEqual([])
})

test('NODE_ENV=test changes nothing', async () => {
  vi.stubEnv('NODE_ENV', 'test')
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = join(tempFolder(), '.hexagon')

  await fileStore(folder).create(newThread('a'))

  expect(readdirSync(join(folder, 'threads')).toSorted()).toEqual(['a.json', 'a.log'])
  expect((await fileStore(folder).load('a'))?.head.version).toBe(1)
})

test('reading makes nothing, not even the folder', async () => {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)

  expect(await store.load('a')).toBeUndefined()
  expect(await store.pending()).toEqual({ items: [], damaged: [] })
  expect(await store.threads()).toEqual({ items: [], damaged: [] })
  expect(await store.events('a')).toEqual([])
  expect(await store.history('a')).toEqual([])
  expect(await store.claimReady(claimant(), 1)).toEqual([])
  expect(await store.delete('a')).toBe(false)
  await expect(store.claim('a', claimant())).rejects.toMatchObject({ code: 'E1301' })
  await expect(store.answer(answers('a', { i_a: '1' }))).rejects.toMatchObject({ code: 'E1301' })
  await expect(store.commit(edit('a', 1))).rejects.toMatchObject({ code: 'E1301' })
  await store.close()

  expect(existsSync(folder)).toBe(false)
})

test('an unknown thread is answered with near ids', async () => {
  const store = fileStore(join(tempFolder(), '.hexagon'))
  await store.create(newThread('7f3k9q2m4d'))

  await expect(store.claim('7f3k', claimant())).rejects.toMatchObject({
    code: 'E1301',
    details: { near: ['7f3k9q2m4d'] },
  })
})

test('B65 temporary names are of one process, and those of killed ones are ignored and cleaned', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await fileStore(folder).create(newThread('a'))
  const [place] = tempOwner().split('-')
  const left = (name: string): string => join(folder, 'tmp', name)
  const killed = left(`a.json.${place}-999999999.abcdefgh.tmp`)
  const own = left(`a.json.${tempOwner()}.abcdefgh.tmp`)
  const foreign = left('a.json.elsewhere-1.abcdefgh.tmp')
  const oldForeign = left('a.json.elsewhere-2.abcdefgh.tmp')
  for (const path of [killed, own, foreign, oldForeign]) writeFileSync(path, '{ half')
  utimesSync(oldForeign, new Date(0), new Date(0))

  const store = fileStore(folder)
  expect((await store.threads()).damaged).toEqual([])
  await store.init()

  expect([killed, own, foreign, oldForeign].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('a store of another user that others may write is refused', async () => {
  const folder = join(tempFolder(), '.hexagon')
  await fileStore(folder).create(newThread('a'))
  chmodSync(folder, 0o777)
  // Only root can give a folder away; without it this process is the other user.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, 65_534, 65_534)
  else vi.spyOn(process, 'getuid').mockReturnValue(12_345)
  onTestFinished(() => void vi.restoreAllMocks())

  for (const act of [
    () => fileStore(folder).pending(),
    () => fileStore(folder).load('a'),
    () => fileStore(folder).create(newThread('b')),
  ]) {
    await expect(act()).rejects.toMatchObject({
      code: 'E1317',
      message: expect.stringContaining('belongs to another user and is writable by others'),
    })
  }
  chmodSync(folder, 0o755)
  expect((await fileStore(folder).load('a'))?.head.id).toBe('a')
})
