import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { afterAll, describe, expect, test } from 'vitest'

import { END, graph, interruptForInput, Runner, START } from '../../src/index.ts'
import { fileStore, memoryStore, sqliteStore } from '../../src/stores/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'hexagon-stringified-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ask = graph('ask', { state: { answer: '' } })
  .node('ask', async () => ({ answer: await interruptForInput('the secret question') }))
  .edge(START, 'ask')
  .edge('ask', END)

describe('a store inside a value that is made into text', () => {
  test.each([
    ['memory', () => memoryStore()],
    ['file', () => fileStore(join(folder, 'files'))],
    ['SQLite', () => sqliteStore(join(folder, 'threads.db'))],
  ])('L92 shows nothing of what it holds: %s', async (_name, open) => {
    const store = open()
    await new Runner({ store }).invoke(ask, {}, { threadId: 'a' })
    const config = { configurable: { thread_id: 'a', store, runner: new Runner({ store }) } }
    const text = JSON.stringify(config)
    expect(text.length).toBeLessThan(500)
    expect(text).not.toContain('secret')
    expect(inspect(config, { depth: 10 })).not.toContain('secret')
    await store.close()
  })
})
