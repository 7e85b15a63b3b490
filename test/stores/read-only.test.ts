import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

import { fileStore } from '../../src/stores/index.ts'
import { askingThread } from '../contracts/store-data.ts'
import { tempFolder } from './temp-folder.ts'

/** Root may write everywhere, so that the scenario runs as nobody then. */
const READER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

test('32 a store that may only be read is read, and each write says why it is refused', async () => {
  const parent = tempFolder()
  const folder = join(parent, '.hexagon')
  const store = fileStore(folder)
  await askingThread(store, 't', { ids: ['i_a'] })
  await store.close()
  const script = join(parent, 'scenario.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'read-only-scenario.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  closeForWriting(parent)
  onTestFinished(() => openAgain(parent))

  const output = execFileSync(process.execPath, [script, folder], { encoding: 'utf8', ...READER })

  const denied = expect.stringMatching(/^E1310 Cannot write \S+: permission denied$/)
  expect(JSON.parse(output)).toEqual({
    pending: 1,
    load: 2,
    events: 0,
    create: denied,
    claim: denied,
    commit: denied,
    answer: denied,
    delete: denied,
    again: 2,
  })
})

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
