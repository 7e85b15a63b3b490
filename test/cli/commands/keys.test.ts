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

test('audit shows the values with the key, and verifies the chain without it', async () => {
  const env = { HEXAGON_KEY: KEY }
  bench.write(
    'flows/yes.mjs',
    `import { interruptForChoice } from 'hexagon'
     export default async () => interruptForChoice('Where?', ['here', 'choiceword'])`,
  )
  await json(['run', 'yes', '--thread', 't1'], env)
  await json(['resume', 't1', '--choose', 'choiceword'], env)
  expect(readable('choiceword')).toEqual([])

  expect((await json(['audit'], env)).document.answers).toMatchObject([{ value: 'choiceword' }])
  expect((await bench.run(['audit'])).stdout).toContain('(encrypted)')
  expect(await json(['audit', 'verify'])).toMatchObject({ code: 0, document: { lines: 1 } })
})

describe('doctor', () => {
  const env = { HEXAGON_KEY: KEY }

  test('tells what does not open from what is damaged', async () => {
    for (const id of ['whole', 'swapped', 'broken']) await json(['run', 'ask', '--thread', id], env)
    const path = (id: string): string => join(bench.folder, '.hexagon/threads', `${id}.json`)
    const swapped = JSON.parse(readFileSync(path('swapped'), 'utf8'))
    const { meta } = JSON.parse(readFileSync(path('whole'), 'utf8'))
    writeFileSync(path('swapped'), JSON.stringify({ ...swapped, meta }))
    writeFileSync(path('broken'), '{')

    const { code, document } = await json(['doctor'], env)

    expect(code).toBe(1)
    const problems = document.checks
      .filter(
        (check: { area: string; state: string }) =>
          check.area === 'store' && check.state === 'problem',
      )
      .map(({ kind, threadId }: { kind: string; threadId: string }) => `${threadId} ${kind}`)
    expect(problems).toContain('swapped sealed')
    expect(problems).toContain('broken damaged')
    expect(problems.filter((problem: string) => problem.startsWith('whole'))).toEqual([])
  })

  test('repairs an encrypted thread without its key, and says what only the key tells', async () => {
    await json(['run', 'ask', '--thread', 't1'], env)
    writeFileSync(join(bench.folder, '.hexagon/threads/t1.json'), '{')

    const { document } = await json(['doctor', '--fix'])

    const kinds = document.checks.map(
      ({ kind, state }: { kind?: string; state: string }) => `${kind} ${state}`,
    )
    expect(kinds).toContain('damaged fixed')
    expect(kinds).toContain('sealed note')
    expect((await json(['resume', 't1', '--text', 'x'], env)).document.result).toBe('statewordx')
  })
})

test('store copy takes encrypted threads over as they are', async () => {
  const env = { HEXAGON_KEY: KEY }
  await json(['run', 'ask', '--thread', 't1'], env)
  expect(await json(['store', 'copy', '--to', 'file:other'])).toMatchObject({ code: 78 })

  expect((await json(['store', 'copy', '--to', 'file:other'], env)).code).toBe(0)

  expect(await json(['pending', '--store', 'file:other'])).toMatchObject({
    code: 78,
    document: { error: { code: 'E1322' } },
  })
  const resumed = await json(['resume', 't1', '--text', 'x', '--store', 'file:other'], env)
  expect(resumed.document.result).toBe('statewordx')
})

test('a SQLite store is encrypted, checked, copied and given another key like a folder', async () => {
  const env = { HEXAGON_KEY: KEY, HEXAGON_STORE: 'sqlite:threads.db' }
  const both = { ...env, HEXAGON_KEY: `${OTHER_KEY},${KEY}` }
  const other = { ...env, HEXAGON_KEY: OTHER_KEY }
  await json(['run', 'ask', '--thread', 't1'], env)
  await json(['store', 'copy', '--to', 'sqlite:copy.db'], env)
  const bytes = (file: string): string => readFileSync(join(bench.folder, file), 'latin1')
  expect(['messageword', 'stateword'].filter((word) => bytes('threads.db').includes(word))).toEqual(
    [],
  )
  expect(await json(['pending'], { HEXAGON_STORE: 'sqlite:threads.db' })).toMatchObject({
    code: 78,
  })
  expect(await json(['pending'], { HEXAGON_STORE: 'sqlite:copy.db' })).toMatchObject({ code: 78 })

  const rekeyed = await json(['store', 'rekey'], both)

  expect(rekeyed).toMatchObject({ code: 0, document: { threads: 1 } })
  const { document } = await json(['doctor'], env)
  const sealed = document.checks.filter(({ kind }: { kind?: string }) => kind === 'sealed')
  expect(sealed).toMatchObject([{ threadId: 't1', state: 'problem' }])
  expect(sealed[0].text).toContain('[E1323]')
  const seen = (await json(['doctor'], other)).document.checks
  expect(seen.filter(({ kind }: { kind?: string }) => kind === 'sealed')).toEqual([])
  expect((await json(['resume', 't1', '--text', 'x'], other)).document.result).toBe('statewordx')
})
