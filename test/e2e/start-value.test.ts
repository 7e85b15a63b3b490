import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { copyPackage, type PackageCopy } from '../support/package-copy.ts'
import { Project } from '../support/project.ts'

let copy: PackageCopy
let project: Project

const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) =>
  typeof value === 'object' && value !== null && typeof value.version === 'string'
    ? { value: { since: 'start', ...value } }
    : { issues: [{ message: 'text wanted', path: ['version'] }] } } }`

beforeAll(() => {
  copy = copyPackage()
})
afterAll(() => copy.remove())
beforeEach(() => {
  project = new Project(copy.bin, {
    'flows/typed.ts': `
      import { flow } from 'hexagon'
      export default flow('typed', async (input) => input, { input: ${schema} })`,
    'flows/open.ts': `export default async function open(input?: unknown) { return { is: JSON.stringify(input) ?? 'nothing' } }`,
    'flows/graph.ts': `
      import { END, START, graph } from 'hexagon'
      export default graph('graph', { state: { name: 'world', tags: [] as string[] } })
        .node('say', async () => ({})).edge(START, 'say').edge('say', END)`,
    'flows/loop.ts': `
      import { END, START, graph } from 'hexagon'
      export default graph('loop', { state: { n: 0 } })
        .node('count', async ({ n }) => ({ n: n + 1 }))
        .edge(START, 'count').branch('count', ({ n }) => (n < 100 ? 'count' : END), ['count', END])`,
  })
})
afterEach(() => project.remove())

async function resultOf(...words: string[]): Promise<unknown> {
  const { document, code } = await project.json(['run', ...words])
  expect(code).toBe(0)
  return document.result
}

describe('the start value', () => {
  test.each([
    [[], 'nothing'],
    [['-d', 'null'], 'null'],
    [['-d', '0'], '0'],
    [['-d', 'plain text'], '"plain text"'],
    [['-d', 'a=1', '-d', 'b:=2'], '{"a":"1","b":2}'],
    [['--data-raw', 'a=1'], '"a=1"'],
  ])('%j is %s', async (data, is) => {
    expect(await resultOf('open', ...data)).toEqual({ is })
  })

  test('comes from standard input with --data -', async () => {
    const { document } = await project.json(['run', 'open', '--data', '-'], {
      stdin: '{"ok":true}\n',
    })
    expect(document.result).toEqual({ is: '{"ok":true}' })
  })

  test('sets the state keys of a graph, and the others keep their own', async () => {
    expect(await resultOf('graph', '-d', 'tags[]=a')).toEqual({ name: 'world', tags: ['a'] })
    expect(await resultOf('graph')).toEqual({ name: 'world', tags: [] })
  })

  test('is completed by the schema', async () => {
    expect(await resultOf('typed', '-d', 'version=1')).toEqual({ since: 'start', version: '1' })
  })

  test('E1217: is refused before a thread exists, with the command that gives what is missing', async () => {
    const { code, document } = await project.json(['run', 'typed'])
    const { document: threads } = await project.json(['threads'])
    expect(code).toBe(65)
    expect(document.error.code).toBe('E1217')
    expect(document.error.hint).toBe('hexagon run typed -d version=…')
    expect(threads.threads).toEqual([])
  })

  test('with an unknown state key is an error with a suggestion', async () => {
    const { code, document } = await project.json(['run', 'graph', '-d', 'nmae=x'])
    expect(code).toBe(65)
    expect(document.error.code).toBe('E1207')
    expect(`${document.error.message} ${document.error.hint}`).toContain('"name"')
  })
})

test('E1402: --max-steps ends a loop, and a resume may raise it', async () => {
  const { code, document } = await project.json(['run', 'loop', '--max-steps', '10'])
  const resumed = await project.json([
    'resume',
    document.thread.id,
    '--retry',
    '--max-steps',
    '1000',
  ])
  expect(code).toBe(1)
  expect(document.error.code).toBe('E1402')
  expect(resumed.document.result).toEqual({ n: 100 })
})

test('E1401: a node that throws says where, and how to try again', async () => {
  project.write(
    'flows/fails.ts',
    `import { flow } from 'hexagon'
     export default flow('fails', async () => { throw new Error('503') })`,
  )
  const { code, document, stderr } = await project.json(['run', 'fails'])
  expect(code).toBe(1)
  expect(document.error).toMatchObject({ code: 'E1401', message: 'node:fails failed: 503' })
  expect(document.resume).toBe(`hexagon resume ${document.thread.id} --retry`)
  expect(stderr).toMatch(/at flows\/fails\.ts:\d+:\d+/u)
})
