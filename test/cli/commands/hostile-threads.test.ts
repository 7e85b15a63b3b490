// Threads that somebody wrote by hand, in the store or for an import: nothing of them is executed, nothing outside the
// project is loaded, what is wrong is said by name, and the other threads are listed.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { CommandBench } from '../../support/command.ts'
import { expectCleanPrototypes, forged, hostileRuns, hostileValues } from '../../support/hostile.ts'

let bench: CommandBench

beforeEach(() => {
  bench = new CommandBench({
    'project/package.json': '{"type":"module"}',
    'project/hexagon.config.json': '{}',
    'evil.mjs': `globalThis.polluted = true; export default async () => 1`,
    'project/flows/ask.mjs': `
      import { END, START, graph, interruptForApproval } from 'hexagon'
      export default graph('ask', { state: { ok: false, map: {} } })
        .node('review', async () => ({ ok: await interruptForApproval('Deploy?', { payload: { a: [1] } }) }))
        .edge(START, 'review').edge('review', END)`,
  })
  process.chdir(join(bench.folder, 'project'))
})
afterEach(() => bench.remove())

interface Outcome {
  readonly code: number
  readonly text: string
}

async function run(...words: string[]): Promise<Outcome> {
  const { code, stdout } = await bench.run([
    '-C',
    join(bench.folder, 'project'),
    ...words,
    '--json',
  ])
  return { code, text: stdout }
}

/** Uses a thread by every command; gives those that ended with a fault of ours, and what `pending` said at last. */
async function useThread(id: string): Promise<{ faults: string[]; pending: string }> {
  const faults: string[] = []
  const tell = async (...words: string[]): Promise<string> => {
    const { code, text } = await run(...words)
    if (code === 70) faults.push(`${words.join(' ')}: ${text}`)
    return text
  }
  for (const words of [
    ['pending'],
    ['threads'],
    ['show', id],
    ['show', id, '--state'],
    ['history', id],
    ['export', id, '--copy'],
    ['audit'],
    ['doctor'],
    ['resume', id, '--approve'],
  ]) {
    await tell(...words)
  }
  return { faults, pending: await tell('pending') }
}

/** Nothing was executed, polluted or put elsewhere. */
function expectNothingDone(): void {
  expect(Reflect.get(globalThis, 'polluted')).toBeUndefined()
  expectCleanPrototypes()
  expect(readdirSync(bench.folder).toSorted()).toEqual(['evil.mjs', 'kept', 'project'])
}

const forgery = fc.record({
  steps: fc.array(fc.nat(20), { maxLength: 7 }),
  value: fc.option(
    fc.constantFrom(
      ...hostileValues,
      '"../evil.mjs"',
      JSON.stringify(JSON.stringify('../evil.mjs')),
      JSON.stringify('{"$type":"Map","value":1}'),
      JSON.stringify('['),
      JSON.stringify('{"__proto__":{"polluted":1}}'),
    ),
    { nil: undefined, freq: 8 },
  ),
})

/** A thread as a document. */
async function exported(id: string): Promise<{ text: string }> {
  const { stdout } = await bench.run(['-C', join(bench.folder, 'project'), 'export', id, '--copy'])
  return { text: stdout }
}

async function startedThread(): Promise<string> {
  const { text } = await run('run', 'ask')
  return (JSON.parse(text) as { thread: { id: string } }).thread.id
}

test('a thread whose file was changed by hand is refused by name or shown, and hides no other', async () => {
  const good = await startedThread()
  const bad = await startedThread()
  const folder = join(bench.folder, 'project/.hexagon')
  const kept = join(bench.folder, 'kept')
  cpSync(folder, kept, { recursive: true, preserveTimestamps: true })
  await fc.assert(
    fc.asyncProperty(forgery, async ({ steps, value }) => {
      rmSync(folder, { recursive: true })
      cpSync(kept, folder, { recursive: true, preserveTimestamps: true })
      const file = join(folder, `threads/${bad}.json`)
      writeFileSync(file, forged(readFileSync(file, 'utf8'), steps, value))
      const { faults, pending } = await useThread(bad)
      expect(faults).toEqual([])
      expect(pending).toContain(good)
      expectNothingDone()
    }),
    hostileRuns(12),
  )
}, 120_000)

test('an exported thread that was changed by hand is refused by name or taken as data', async () => {
  const good = await startedThread()
  const { text } = await exported(good)
  const folder = join(bench.folder, 'project/.hexagon')
  const kept = join(bench.folder, 'kept')
  cpSync(folder, kept, { recursive: true })
  const document = text.replaceAll(good, 'imported').replaceAll(/\bi_(?=\w{12})/gu, 'i_x')
  await fc.assert(
    fc.asyncProperty(forgery, async ({ steps, value }) => {
      rmSync(folder, { recursive: true })
      cpSync(kept, folder, { recursive: true, preserveTimestamps: true })
      bench.write('project/thread.json', forged(document, steps, value))
      const words = ['import', join(bench.folder, 'project/thread.json'), '--trust', '--force']
      expect((await run(...words)).code).not.toBe(70)
      const { faults, pending } = await useThread('imported')
      expect(faults).toEqual([])
      expect(pending).toContain(good)
      expectNothingDone()
    }),
    hostileRuns(12),
  )
}, 120_000)
