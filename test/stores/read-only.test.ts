import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { fileStore, sqliteStore } from '../../src/stores/index.ts'
import { askingThread } from '../contracts/store-data.ts'
import { bundle } from '../support/bundle.ts'
import { tempFolder } from './temp-folder.ts'

/** Root may write everywhere, so that the scenario runs as nobody then. */
const READER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

test.each(['file', 'sqlite'] as const)(
  '32 a store that may only be read is read, and each write says why it is refused: %s',
  async (kind) => {
    const parent = tempFolder()
    const path = join(parent, kind === 'file' ? '.hexagon' : 'threads.db')
    const store = kind === 'file' ? fileStore(path) : sqliteStore(path)
    await askingThread(store, 't', { ids: ['i_a'] })
    await store.close()
    const script = join(parent, 'scenario.mjs')
    await bundle(join(import.meta.dirname, 'read-only-scenario.ts'), script)
    closeForWriting(parent)
    onTestFinished(() => openAgain(parent))

    const output = execFileSync(process.execPath, [script, kind, path], {
      encoding: 'utf8',
      ...READER,
    })

    const denied = expect.stringMatching(/^E1310 Cannot write \S+: \S+/)
    // SQLite reads such a place only while the files it puts beside a database lie there already.
    const read = (value: number): unknown =>
      expect.toBeOneOf(kind === 'file' ? [value] : [value, denied])
    expect(JSON.parse(output)).toEqual({
      pending: read(1),
      load: read(2),
      events: read(0),
      create: denied,
      claim: denied,
      commit: denied,
      answer: denied,
      delete: denied,
      again: read(2),
    })
  },
)

function all(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    join(folder, path),
  )
}

function closeForWriting(folder: string): void {
  for (const path of [folder, ...all(folder)]) {
    chmodSync(path, statSync(path).isFile() ? 0o400 : 0o500)
    if (READER !== undefined) chownSync(path, READER.uid, READER.gid)
  }
}

function openAgain(folder: string): void {
  chmodSync(folder, 0o700)
  for (const path of all(folder)) if (!statSync(path).isFile()) chmodSync(path, 0o700)
}
