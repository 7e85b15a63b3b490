import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

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
