import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { fileStore } from '../../../src/stores/file.ts'
import { claimant } from '../../contracts/store-data.ts'
import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/ask.mjs': `
      import { interruptForApproval, step } from 'hexagon'
      export default async () => {
        const tag = await step('tag', async () => 'v1')
        return { tag, ok: await interruptForApproval('Deploy?') }
      }`,
  })
})
afterEach(() => bench.remove())

async function json(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, code } = await bench.run([...words, '--json'], { env })
  return { code, document: JSON.parse(stdout) }
}

describe('--store', () => {
  test('sqlite: keeps threads in one file, from the run to the end', async () => {
    const store = ['--store', 'sqlite:data/threads.db']
    const started = await json(['run', 'ask', '--thread', 't1', ...store])
    const waiting = await json(['pending', ...store])
    const [{ id }] = started.document.interrupts

    const resumed = await json(['resume', id, '--approve', ...store])

    expect([started.code, waiting.code, resumed.code]).toEqual([75, 0, 0])
    expect(waiting.document.threads).toMatchObject([{ id: 't1', interrupts: [{ id }] }])
    expect(resumed.document.result).toEqual({ tag: 'v1', ok: true })
    expect((await json(['threads', ...store])).document.threads).toMatchObject([
      { id: 't1', status: 'completed' },
    ])
    expect(existsSync(join(bench.folder, 'data/threads.db'))).toBe(true)
    expect(existsSync(join(bench.folder, '.hexagon/threads'))).toBe(false)
  })

  test('HEXAGON_STORE says it for every command, and the flag wins', async () => {
    const env = { HEXAGON_STORE: 'sqlite:threads.db' }
    await json(['run', 'ask', '--thread', 't1'], env)
    const other = await json(['run', 'ask', '--thread', 't2', '--store', 'file:other'], env)

    expect(other.code).toBe(75)
    expect(readdirSync(join(bench.folder, 'other/threads'))).toContain('t2.json')
    const { document } = await json(['pending'], env)
    expect(document.threads).toMatchObject([{ id: 't1' }])
  })

  test('a store that is not there is named', async () => {
    const listed = await bench.run(['pending', '--store', 'sqlite:none.db'])
    const shown = await bench.run(['show', 't1', '--store', 'sqlite:none.db'])

    expect([listed.code, shown.code]).toEqual([0, 66])
    expect(listed.stderr).toContain(`(no store at ${join(bench.folder, 'none.db')})`)
    expect(shown.stderr).toContain(`No store at ${join(bench.folder, 'none.db')}`)
    expect(existsSync(join(bench.folder, 'none.db'))).toBe(false)
  })

  test.each(['memory', 'memory:', 'threads.db', 'sqlite:', 'postgres://db'])(
    '%s is refused',
    async (store) => {
      const { code, stderr } = await bench.run(['pending'], { env: { HEXAGON_STORE: store } })

      expect(code).toBe(2)
      expect(stderr).toContain('E1018')
      expect(stderr).toContain(
        store.startsWith('memory') ? '--ephemeral' : 'file:DIR or sqlite:FILE',
      )
    },
  )
})

describe('store copy', () => {
  test('threads that went from files to SQLite and back resume the same in all three', async () => {
    await json(['run', 'ask', '--thread', 'asks'])
    await json(['run', 'ask', '--thread', 'answered'])
    await json(['run', 'ask', '--thread', 'ended'])
    await json(['resume', 'answered', '--approve', '--no-run'])
    await json(['resume', 'ended', '--reject'])

    const there = await json(['store', 'copy', '--to', 'sqlite:t.db'])
    const back = await json(['store', 'copy', '--from', 'sqlite:t.db', '--to', 'file:back'])

    expect([there.code, back.code]).toEqual([0, 0])
    expect(there.document.threads).toHaveLength(3)
    const stores = [[], ['--store', 'sqlite:t.db'], ['--store', 'file:back']]
    const seen = []
    for (const store of stores) seen.push(await contentOf(store))
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    for (const store of stores) {
      const { document } = await json(['pending', 'asks', ...store])
      const [{ id }] = document.threads[0].interrupts
      const asked = await json(['resume', id, '--approve', ...store])
      const answered = await json(['resume', 'answered', ...store])
      const ended = await json(['resume', 'ended', ...store])
      expect(asked.document).toMatchObject({ ok: true, result: { tag: 'v1', ok: true } })
      expect(answered.document).toMatchObject({ ok: true, result: { tag: 'v1', ok: true } })
      expect(ended.document.error.code).toBe('E1303')
    }
  })

  test('history, every checkpoint and the export say the same to the byte, wherever a thread lies', async () => {
    await json(['run', 'ask', '--thread', 'ended'])
    await json(['resume', 'ended', '--reject'])
    await json(['run', 'ask', '--thread', 'asks'])
    await json(['store', 'copy', '--to', 'sqlite:t.db'])
    await json(['store', 'copy', '--from', 'sqlite:t.db', '--to', 'file:back'])

    for (const id of ['asks', 'ended']) {
      const { document } = await json(['history', id])
      const versions = document.checkpoints.map(({ version }: { version: number }) => version)
      expect(versions.length).toBeGreaterThan(2)
      const commands = [
        ['history', id, '--json'],
        ['show', id, '--json'],
        ['export', id, '--copy'],
        ...versions.map((version: number) => ['show', id, '--at', String(version), '--json']),
      ]
      for (const words of commands) {
        const { stdout } = await bench.run(words)
        for (const store of ['sqlite:t.db', 'file:back']) {
          const copy = await bench.run([...words, '--store', store])
          expect([copy.code, copy.stdout]).toEqual([0, stdout])
        }
      }
    }
  })

  test('copied again nothing is changed, exit 0', async () => {
    await json(['run', 'ask', '--thread', 'one'])
    await json(['store', 'copy', '--to', 'sqlite:t.db'])

    const again = await json(['store', 'copy', '--to', 'sqlite:t.db'])

    expect(again).toMatchObject({ code: 0, document: { threads: [], unchanged: ['one'] } })
  })

  test('a damaged thread is named and keeps no other from being copied, exit 74', async () => {
    for (const id of ['bad', 'one', 'two']) await json(['run', 'ask', '--thread', id])
    writeFileSync(join(bench.folder, '.hexagon/threads/bad.json'), '{')

    const all = await json(['store', 'copy', '--to', 'sqlite:t.db'])
    const named = await json(['store', 'copy', 'bad', 'one', '--to', 'file:x'])

    for (const { code, document } of [all, named]) {
      expect([code, document.damaged[0].threadId]).toEqual([74, 'bad'])
      expect(document.threads).toContainEqual({ id: 'one', flow: 'ask', status: 'suspended' })
    }
    expect(all.document.threads).toHaveLength(2)
  })

  test('a thread that is being run keeps all from being copied', async () => {
    await json(['run', 'ask', '--thread', 'one'])
    const store = fileStore(join(bench.folder, '.hexagon'))
    await store.claim('one', claimant())

    const { code, document } = await json(['store', 'copy', '--to', 'sqlite:t.db'])

    expect([code, document.error.code]).toEqual([69, 'E1306'])
    expect(existsSync(join(bench.folder, 't.db'))).toBe(false)
    await store.close()
  })

  test('only the named threads are copied, and what exists there stays', async () => {
    for (const id of ['one', 'two']) await json(['run', 'ask', '--thread', id])

    const first = await json(['store', 'copy', 'one', '--to', 'sqlite:t.db'])
    await json(['resume', 'one', '--approve', '--store', 'sqlite:t.db'])
    const second = await json(['store', 'copy', '--to', 'sqlite:t.db'])

    expect(first.document.threads).toMatchObject([{ id: 'one', status: 'suspended' }])
    expect(second).toMatchObject({
      code: 69,
      document: { threads: [{ id: 'two' }], skipped: ['one'] },
    })
    const { document } = await json(['threads', '--store', 'sqlite:t.db'])
    const statuses = document.threads.map((thread: { id: string; status: string }) => [
      thread.id,
      thread.status,
    ])
    expect(Object.fromEntries(statuses)).toEqual({ one: 'completed', two: 'suspended' })
  })

  test.each([
    [['store'], 2, 'What is to be done?'],
    [['store', 'move'], 2, `"move" can't be done`],
    [['store', 'copy'], 2, 'Where to?'],
    [['store', 'copy', '--to', 'file:.hexagon'], 2, 'are the same place'],
    [['store', 'copy', '--to', 'memory'], 2, 'end with the command'],
    [['store', 'copy', '--from', 'sqlite:none.db', '--to', 'file:x'], 66, 'No store at'],
    [['store', 'copy', 'nobody', '--to', 'file:x'], 66, 'No thread "nobody"'],
  ])('%j exits %i', async (words, exit, text) => {
    await json(['run', 'ask', '--thread', 'one'])
    const { code, stderr } = await bench.run(words)

    expect(code).toBe(exit)
    expect(stderr).toContain(text)
    expect(existsSync(join(bench.folder, 'x'))).toBe(false)
  })
})

/** Threads as `export` writes them, without what counts the commits. */
async function contentOf(store: readonly string[]): Promise<unknown[]> {
  const found = []
  for (const id of ['asks', 'answered', 'ended']) {
    const { document } = await json(['export', id, '--copy', ...store])
    const { version: _version, createdAt: _created, updatedAt: _updated, ...rest } = document.thread
    found.push(rest)
  }
  return found
}
