// Values that are too much or mean something to the language: answers, start values, state, configuration.

import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'
import {
  deepList,
  expectCleanPrototypes,
  hostileRuns,
  hostileText,
  hostileTexts,
} from '../../support/hostile.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'package.json': '{"type":"module"}',
    'hexagon.config.json': '{}',
    'flows/take.mjs': `
      import { END, START, graph, interrupt } from 'hexagon'
      export default graph('take', { state: { given: {}, seen: {} } })
        .node('ask', async () => ({ seen: await interrupt('What?') }))
        .edge(START, 'ask').edge('ask', END)`,
  })
})
afterEach(() => bench.remove())

interface Document {
  readonly thread: { readonly id: string }
  readonly result: { readonly given: unknown; readonly seen: unknown }
  readonly error: { readonly code: string; readonly message: string; readonly hint: string }
}

async function json(
  words: readonly string[],
  stdin?: string,
): Promise<{ readonly code: number; readonly document: Document }> {
  const context = stdin === undefined ? {} : { stdin }
  const { code, stdout } = await bench.run([...words, '--json'], context)
  return { code, document: JSON.parse(stdout) as Document }
}

async function started(): Promise<string> {
  return (await json(['run', 'take'])).document.thread.id
}

const meaningful = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'toJSON',
)
const harmfulObject = fc
  .array(fc.tuple(fc.oneof(meaningful, hostileText), fc.constantFrom('polluted', 'isAdmin')), {
    minLength: 1,
    maxLength: 3,
  })
  .map(
    (entries) =>
      `{${entries.map(([a, b]) => `${JSON.stringify(a)}:{"prototype":{"${b}":1},"${b}":true}`).join(',')}}`,
  )

test('O08 keys that mean something to the language are data wherever a value comes in', async () => {
  await fc.assert(
    fc.asyncProperty(harmfulObject, async (text) => {
      const value: unknown = JSON.parse(text)
      const run = await json(['run', 'take', '--data', `{"given":${text}}`])
      const { id } = run.document.thread
      bench.write('answer.json', text)
      const ways = [
        ['--data', text],
        ['--data', '@answer.json'],
        ['--answers', `{"node:ask":${text}}`],
      ]
      const [way = []] = [ways[text.length % ways.length]]
      const { code, document } = await json(['resume', id, ...way])
      expectCleanPrototypes()
      expect(code).toBe(0)
      expect(JSON.stringify(document.result)).toBe(JSON.stringify({ given: value, seen: value }))
      const shown = await bench.run(['show', id, '--state'])
      expect(shown.code).toBe(0)
      const { stdout } = await bench.run(['export', id, '--copy'])
      bench.write('thread.json', stdout)
      expect((await json(['import', 'thread.json', '--trust', '--force'])).code).toBe(0)
      expectCleanPrototypes()
    }),
    hostileRuns(10),
  )
}, 60_000)

test('O08 a name of an answer that means something to the language is refused, and changes nothing', async () => {
  const id = await started()
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const { code, document } = await json(['resume', id, '--answers', `{"${name}":{"polluted":1}}`])
    expect([code, document.error.code]).toEqual([65, 'E1214'])
    expectCleanPrototypes()
  }
})

test('a configuration with keys that mean something to the language pollutes nothing', async () => {
  for (const text of [
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ]) {
    bench.write('hexagon.config.json', text)
    expect((await bench.run(['pending'])).code).toBe(78)
    expectCleanPrototypes()
  }
})

describe('E1210 a value of 100 MB', () => {
  const SIZE = 100 * 1024 * 1024

  function hugeFile(name: string): string {
    const path = join(bench.folder, name)
    const fd = openSync(path, 'w')
    ftruncateSync(fd, SIZE)
    closeSync(fd)
    expect(statSync(path).size).toBe(SIZE)
    return name
  }

  test.each(['huge.txt', 'huge.json', 'huge.jsonl'])(
    'from a file (%s) is refused before it is read to the end, exit 65',
    async (name) => {
      const id = await started()
      const before = process.memoryUsage().rss
      const { code, document } = await json(['resume', id, '--data', `@${hugeFile(name)}`])
      const grown = process.memoryUsage().rss - before
      rmSync(join(bench.folder, name))

      expect([code, document.error.code]).toEqual([65, 'E1210'])
      expect(document.error.message).toMatch(/the limit is 10 MB/u)
      expect(grown).toBeLessThan(SIZE)
      expect((await json(['resume', id, '--data', 'small'])).code).toBe(0)
    },
  )

  test('from standard input, as answers, as a start value and in a pair too', async () => {
    const id = await started()
    const file = hugeFile('huge.json')
    const refused = [
      await json(['resume', id, '--data', '-'], 'x'.repeat(11 * 1024 * 1024)),
      await json(['resume', id, '--answers', `@${file}`]),
      await json(['run', 'take', '--data', `@${file}`]),
      await json(['run', 'take', '--data', `given:=@${file}`]),
    ]
    rmSync(join(bench.folder, file))
    for (const { code, document } of refused)
      expect([code, document.error.code]).toEqual([65, 'E1210'])
  })
})

describe('E1210 a value of 100,000 levels', () => {
  const DEEP = deepList(100_000)

  test('is refused wherever a value comes in, exit 65', async () => {
    const id = await started()
    writeFileSync(join(bench.folder, 'deep.json'), DEEP)
    writeFileSync(join(bench.folder, 'deep.jsonl'), `1\n${DEEP}\n`)
    const refused = [
      await json(['resume', id, '--data', DEEP]),
      await json(['resume', id, '--data', '@deep.json']),
      await json(['resume', id, '--data', '@deep.jsonl']),
      await json(['resume', id, '--data', '-'], DEEP),
      await json(['resume', id, '--answers', `{"node:ask":${DEEP}}`]),
      await json(['resume', id, '--data', 'a:=@deep.json']),
      await json(['resume', id, '--data', `a${'[0]'.repeat(1000)}=1`]),
      await json(['run', 'take', '--data', DEEP]),
    ]
    for (const { code, document } of refused)
      expect([code, document.error.code]).toEqual([65, 'E1210'])
  })

  test('that is cut off is no JSON, and is told as such', async () => {
    const id = await started()
    writeFileSync(join(bench.folder, 'cut.json'), '['.repeat(100_000))
    const { code, document } = await json(['resume', id, '--data', '@cut.json'])
    expect([code, document.error.code]).toEqual([65, 'E1211'])
  })

  test('in a configuration or an import is refused by name', async () => {
    writeFileSync(join(bench.folder, 'deep.json'), `{"type":"hexagon-thread","format":${DEEP}}`)
    const imported = await json(['import', 'deep.json', '--trust'])
    expect([imported.code, imported.document.error.code]).toEqual([65, 'E1221'])

    bench.write('hexagon.config.json', `{"redact":${DEEP}}`)
    expect((await bench.run(['pending'])).code).toBe(78)
  })
})

test('words of the command line that mean something to the language are words', async () => {
  const id = await started()
  for (const word of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    for (const words of [
      [word],
      ['help', word],
      ['pending', `--${word}`],
      ['run', word],
      ['show', word],
      ['show', id, '--get', word],
      ['pending', '--store', `${word}:x`],
      ['completion', word],
      ['show', id, '--at', word],
      ['pending', '--sort', word],
      ['threads', '--status', word],
      ['pending', '--kind', word],
      ['resume', id, '--data', `${word}=1`, '--data', `a.${word}.b=1`],
    ]) {
      const { code, stdout, stderr } = await bench.run(words)
      expect(code, `${words.join(' ')}: ${stdout} ${stderr}`).not.toBe(70)
      expectCleanPrototypes()
    }
  }
})

test('texts of the corpus are answers like any other, and come back exactly', async () => {
  for (const text of hostileTexts) {
    const { document } = await json(['run', 'take'])
    const { code, document: after } = await json(['resume', document.thread.id, '--data-raw', text])
    expect([code, after.result.seen]).toEqual([0, text])
  }
})
