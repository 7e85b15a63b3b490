// Flows that use the library itself, run by a command with a copy of its own.

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import {
  installRealCommand,
  scratch,
  writeFiles,
  type Command,
  type Outcome,
} from './support/command.ts'

let command: Command
let root: string

beforeAll(async () => {
  command = await installRealCommand()
})

afterAll(() => command.remove())

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

const asking = (tool: string): string => `
import { graph, interruptForApproval, START, END } from 'hexagon'
type Word = string
export default graph('asking', { state: { before: '', after: '', yes: false } })
  .node('ask', async () => {
    const before: Word = (await import('${tool}')).tool()
    const yes = await interruptForApproval('Go on?')
    return { before, after: (await import('${tool}')).tool(), yes }
  })
  .edge(START, 'ask')
  .edge('ask', END)
`

const required = `
const { graph, interruptForApproval, START, END } = require('hexagon')
const ask = async () => {
  const before = (await import('./tool')).tool()
  const yes = await interruptForApproval('Go on?')
  return { before, after: (await import('./tool')).tool(), yes }
}
const state = { before: '', after: '', yes: false }
module.exports = graph('asking', { state }).node('ask', ask).edge(START, 'ask').edge('ask', END)
`

const tool = `export const tool = (): string => 'a tool'\n`

/** Starts a thread in one process and answers it in another. */
async function askAndAnswer(): Promise<Outcome['result'][]> {
  const start = await command.load(root, 'f', { input: {} })
  const { threadId } = start.result
  const resumed = await command.load(root, 'f', { threadId, answer: true })
  expect([start.stderr, resumed.stderr]).toEqual(['', ''])
  return [start.result, resumed.result]
}

const answered = [
  { status: 'suspended', isOwnCopy: false },
  {
    status: 'completed',
    isOwnCopy: false,
    output: { before: 'a tool', after: 'a tool', yes: true },
  },
]

describe.each([
  ['an ES module project', { 'package.json': '{"type":"module"}' }],
  ['a CommonJS project', { 'package.json': '{"type":"commonjs"}' }],
  ['a bare directory', {}],
])('in %s', (_kind, manifest) => {
  test.each(['./tool.ts', './tool.js', './tool'])(
    'B82 B83 a node imports %s before and after its question, with two copies of the library',
    async (specifier) => {
      await writeFiles(root, {
        ...manifest,
        'flows/f.ts': asking(specifier),
        'flows/tool.ts': tool,
      })

      expect(await askAndAnswer()).toMatchObject(answered)
    },
  )

  test('B80 B83 CommonJS in TypeScript does so, too', async () => {
    await writeFiles(root, { ...manifest, 'flows/f.cts': required, 'flows/tool.ts': tool })

    expect(await askAndAnswer()).toMatchObject(answered)
  })

  test("B83 a project's own copy is used", async () => {
    await writeFiles(root, {
      ...manifest,
      'flows/f.ts': asking('./tool.ts'),
      'flows/tool.ts': tool,
    })
    await cp(command.library, join(root, 'node_modules/hexagon'), { recursive: true })

    expect(await askAndAnswer()).toMatchObject(answered)
  })
})

test('B79 a flow may wait for something at its top', async () => {
  await writeFiles(root, {
    'flows/f.ts': `import { graph, START, END } from 'hexagon'
      const value: number = await Promise.resolve(7)
      export default graph('f', { state: { value: 0 } }).node('a', () => ({ value })).edge(START, 'a').edge('a', END)`,
  })

  expect((await command.load(root, 'f', { input: {} })).result).toMatchObject({
    status: 'completed',
    output: { value: 7 },
  })
})

test('a flow may be named by the name in its graph', async () => {
  await writeFiles(root, {
    'flows/f.ts': `import { graph, START, END } from 'hexagon'
      export default graph('other-name', { state: {} }).node('a', () => {}).edge(START, 'a').edge('a', END)`,
    'flows/broken.ts': `throw new Error('other-name')`,
  })

  expect((await command.load(root, 'other-name', { input: {} })).result).toMatchObject({
    status: 'completed',
  })
})

test('a bare function may ask', async () => {
  await writeFiles(root, {
    'flows/f.ts': `import { interruptForApproval } from 'hexagon'
      export default async (input: { text: string }) => [input.text, await interruptForApproval('Go on?')]`,
  })
  const start = await command.load(root, 'f', { input: { text: 'x' } })
  const resumed = await command.load(root, 'f', {
    threadId: start.result['threadId'],
    answer: false,
  })

  expect(resumed.result).toMatchObject({ status: 'completed', output: ['x', false], cached: true })
})
