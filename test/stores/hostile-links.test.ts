// Links and pipes in the place of a store's files: nothing outside the folder is read or written, and nobody waits.

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { readAudit } from '../../src/stores/file/audit.ts'
import { Inspection } from '../../src/stores/file/inspection.ts'
import { Layout } from '../../src/stores/file/layout.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, claimant, edit } from '../contracts/store-data.ts'
import { expectOthersUnhurt, fillStore, useAll } from './hostile-subject.ts'
import { tempFolder } from './temp-folder.ts'

interface SetUp {
  readonly layout: Layout
  /** A folder beside the store. */
  readonly outside: string
}

async function filledStore(): Promise<SetUp> {
  const parent = tempFolder()
  const layout = new Layout(join(parent, '.hexagon'))
  const store = fileStore(layout.root)
  await fillStore(store)
  await store.putBlob(Buffer.from('bytes'))
  await store.close()
  const outside = join(parent, 'outside')
  mkdirSync(outside)
  return { layout, outside }
}

/** Every file below a folder with what it holds. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  )
}

const PARTS = ['document', 'log', 'inbox', 'waiting', 'lock'] as const

test.each(PARTS)('O11 a link in the place of a %s leads nowhere', async (part) => {
  const { layout, outside } = await filledStore()
  const path = layout.filesOf('b')[part]
  const target = join(outside, 'target')
  if (existsSync(path)) renameSync(path, target)
  else writeFileSync(target, '{"pid":1}')
  symlinkSync(target, path)
  const before = contents(outside)

  const store = fileStore(layout.root)
  await expectOthersUnhurt(store)
  await useAll(store, 'b')
  await store.delete('b').catch(() => undefined)
  await store.close()

  expect(contents(outside)).toEqual(before)
})

test.each(['document', 'log', 'inbox'] as const)(
  'O11 a link in the place of a %s is named, and the doctor puts a file in its place',
  async (part) => {
    const { layout, outside } = await filledStore()
    const path = layout.filesOf('b')[part]
    const target = join(outside, 'target')
    renameSync(path, target)
    symlinkSync(target, path)
    const before = contents(outside)

    await expect(fileStore(layout.root).load('b')).rejects.toMatchObject({
      code: 'E1308',
      message: `${path}: can't be read: it is a symbolic link, which is not followed`,
    })
    const inspection = new Inspection(layout.root)
    const { findings } = await inspection.inspect()
    expect(findings).toMatchObject([{ kind: 'damaged', file: path }])
    for (const finding of findings) await finding.repair?.()
    inspection.close()

    const store = fileStore(layout.root)
    expect((await store.load('b'))?.head.id).toBe('b')
    await store.close()
    expect(contents(outside)).toEqual(before)
  },
)

test('a link to a secret shows nothing of it', async () => {
  const { layout, outside } = await filledStore()
  const secret = join(outside, 'secret')
  writeFileSync(secret, 'swordfish')
  const { document, waiting, log } = layout.filesOf('b')
  for (const path of [document, waiting, log]) {
    rmSync(path)
    symlinkSync(secret, path)
  }

  const { damaged } = await fileStore(layout.root).pending()

  expect(damaged).toMatchObject([{ threadId: 'b', file: document }])
  expect(JSON.stringify(damaged)).not.toContain('swordfish')
})

test.each(['threads', 'done', 'waiting', 'history', 'blobs', 'temp', 'damaged'] as const)(
  'O11 a store whose folder of %s is a link is refused by name, and the doctor looks at nothing behind it',
  async (part) => {
    const { layout, outside } = await filledStore()
    const path = layout[part]
    if (existsSync(path)) renameSync(path, join(outside, basename(path)))
    else mkdirSync(join(outside, basename(path)))
    symlinkSync(join(outside, basename(path)), path)
    const before = contents(outside)

    const store = fileStore(layout.root)
    const refusal = { code: 'E1317', message: expect.stringContaining(path) }
    await expect(store.pending()).rejects.toMatchObject(refusal)
    await expect(store.load('a')).rejects.toMatchObject(refusal)
    await expect(store.commit(edit('a', 2))).rejects.toMatchObject(refusal)
    const inspection = new Inspection(layout.root)
    const { findings } = await inspection.inspect()
    expect(findings).toMatchObject([{ kind: 'folder', file: path, weight: 'problem' }])
    inspection.close()

    expect(contents(outside)).toEqual(before)
  },
)

test('a link in the place of a history folder is not followed', async () => {
  const { layout, outside } = await filledStore()
  const { history } = layout.filesOf('b')
  writeFileSync(join(outside, '000000000000.log'), 'mine')
  symlinkSync(outside, history)
  const before = contents(outside)

  const store = fileStore(layout.root)
  await expectOthersUnhurt(store)
  await useAll(store, 'b')
  await store.prune('b', 1).catch(() => undefined)
  await expect(store.claim('b', claimant())).rejects.toMatchObject({ code: 'E1308' })
  await store.delete('b').catch(() => undefined)
  await store.close()

  expect(contents(outside)).toEqual(before)
})

test('a link in the place of a blob, or of the folder it is in, is not followed', async () => {
  const { layout, outside } = await filledStore()
  const store = fileStore(layout.root)
  const hash = await store.putBlob(Buffer.from('other bytes'))
  const path = join(layout.blobs, hash.slice(0, 2), hash)
  renameSync(path, join(outside, 'blob'))
  symlinkSync(join(outside, 'blob'), path)
  await expect(store.getBlob(hash)).rejects.toMatchObject({ code: 'E1308' })

  rmSync(dirname(path), { recursive: true })
  symlinkSync(outside, dirname(path))
  await expect(store.getBlob(hash)).rejects.toMatchObject({ code: 'E1308' })
  await expect(store.putBlob(Buffer.from('other bytes'))).rejects.toMatchObject({ code: 'E1308' })
  expect(Object.keys(contents(outside))).toEqual(['blob'])
})

test('a link in the place of the audit log takes no answer, and is not read', async () => {
  const { layout, outside } = await filledStore()
  renameSync(layout.audit, join(outside, 'audit'))
  symlinkSync(join(outside, 'audit'), layout.audit)
  const before = contents(outside)

  const store = fileStore(layout.root)
  await expect(store.answer(answers('a', { i_a1: 'true' }))).rejects.toMatchObject({
    code: 'E1310',
  })
  expect(() => readAudit(layout.root)).toThrow(
    /audit\.jsonl: can't be read: it is a symbolic link/u,
  )
  expect(contents(outside)).toEqual(before)
})

test('a pipe in the place of a file keeps nobody waiting', async () => {
  const { layout } = await filledStore()
  for (const part of ['document', 'log', 'waiting'] as const) {
    const path = layout.filesOf('b')[part]
    rmSync(path)
    execFileSync('mkfifo', [path])
  }

  const store = fileStore(layout.root)
  await expectOthersUnhurt(store)
  await useAll(store, 'b')
  await expect(store.load('b')).rejects.toMatchObject({ code: 'E1308' })
})
