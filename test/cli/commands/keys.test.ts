import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { KEY, OTHER_KEY } from '../../stores/keys.ts'
import { CommandBench } from '../../support/command.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/ask.mjs': `
      import { interruptForInput, step } from 'hexagon'
      export default async () => {
        const word = await step('word', async () => 'stateword')
        return word + (await interruptForInput('Which messageword?'))
      }`,
  })
})
afterEach(() => bench.remove())

async function json(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, code, stderr } = await bench.run([...words, '--json'], { env })
  return { code, stderr, document: JSON.parse(stdout) }
}

/** What of the given words can be read under the store's folder, code apart. */
function readable(...words: readonly string[]): string[] {
  const folder = join(bench.folder, '.hexagon')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const kept = files.filter(
    (file) => !file.startsWith('cache') && statSync(join(folder, file)).isFile(),
  )
  const text = kept.map((file) => readFileSync(join(folder, file), 'latin1')).join('\n')
  return words.filter((word) => text.includes(word))
}

describe('HEXAGON_KEY', () => {
  const env = { HEXAGON_KEY: KEY }

  test('keeps what was asked, answered and worked out from who has only the folder', async () => {
    const started = await json(['run', 'ask', '--thread', 't1'], env)
    expect(started.code).toBe(75)
    const listed = await json(['pending'], env)
    expect(listed.document.threads[0].interrupts[0].message).toBe('Which messageword?')
    await json(['resume', 't1', '--text', 'answerword', '--no-run'], env)

    const { code, document } = await json(['resume', 't1'], env)

    expect({ code, result: document.result }).toEqual({ code: 0, result: 'statewordanswerword' })
    expect(readable('messageword', 'answerword', 'stateword', KEY)).toEqual([])
  })

  test('without it every command says that the store is encrypted', async () => {
    await json(['run', 'ask', '--thread', 't1'], env)

    for (const words of [
      ['pending'],
      ['show', 't1'],
      ['threads'],
      ['run', 'ask'],
      ['prune', '--keep', '1'],
    ]) {
      const { code, document } = await json(words)
      expect({ words, code, error: document.error.code }).toEqual({
        words,
        code: 78,
        error: 'E1322',
      })
    }
  })

  test('with another key the thread is named as unreadable', async () => {
    await json(['run', 'ask', '--thread', 't1'], env)
    const other = { HEXAGON_KEY: OTHER_KEY }

    expect(await json(['show', 't1'], other)).toMatchObject({
      code: 78,
      document: { error: { code: 'E1323' } },
    })
    const { code, document, stderr } = await json(['pending'], other)
    expect({ code, damaged: document.damaged }).toMatchObject({
      code: 74,
      damaged: [{ threadId: 't1', code: 'E1323' }],
    })
    expect(stderr).toContain('[E1323]')
  })

  test('a key that is none is refused and not shown', async () => {
    const { code, stdout, stderr } = await bench.run(['run', 'ask'], {
      env: { HEXAGON_KEY: 'hunter2' },
    })

    expect(code).toBe(78)
    expect(`${stdout}${stderr}`).toContain('E1325')
    expect(`${stdout}${stderr}`).not.toContain('hunter2')
  })
})

test('HEXAGON_KEY_FILE and keyFile of the configuration name the file with the keys', async () => {
  writeFileSync(join(bench.folder, 'key.txt'), `${KEY}\n`)
  const byFile = { HEXAGON_KEY_FILE: 'key.txt' }
  await json(['run', 'ask', '--thread', 't1'], byFile)
  expect(readable('messageword')).toEqual([])

  bench.write('hexagon.config.json', '{"keyFile":"key.txt"}')
  expect((await json(['pending'])).document.threads).toHaveLength(1)
  bench.write('hexagon.config.json', '{"keyFile":"missing.txt"}')
  expect(await json(['pending'])).toMatchObject({
    code: 78,
    document: { error: { code: 'E1325' } },
  })
})

describe('store rekey', () => {
  test('puts a new key in the place of the old one', async () => {
    await json(['run', 'ask', '--thread', 't1'], { HEXAGON_KEY: KEY })

    const { code, document } = await json(['store', 'rekey'], {
      HEXAGON_KEY: `${OTHER_KEY} ${KEY}`,
    })

    expect({ code, threads: document.threads }).toEqual({ code: 0, threads: 1 })
    const env = { HEXAGON_KEY: OTHER_KEY }
    expect((await json(['resume', 't1', '--text', 'x'], env)).document.result).toBe('statewordx')
  })

  test('encrypts a store that was plain', async () => {
    await json(['run', 'ask', '--thread', 't1'])
    expect(readable('messageword', 'stateword')).toEqual(['messageword', 'stateword'])

    const { code } = await json(['store', 'rekey'], { HEXAGON_KEY: KEY })

    expect(code).toBe(0)
    expect(readable('messageword', 'stateword')).toEqual([])
    expect((await json(['pending'], { HEXAGON_KEY: KEY })).document.threads).toHaveLength(1)
  })

  test('needs a key', async () => {
    await json(['run', 'ask', '--thread', 't1'])

    expect(await json(['store', 'rekey'])).toMatchObject({
      code: 78,
      document: { error: { code: 'E1322' } },
    })
  })
})
