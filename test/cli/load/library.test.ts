import { rm, symlink, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import {
  installCommand,
  loadAll,
  scratch,
  stubPackage,
  writeFiles,
  type Command,
  type Outcome,
  type Start,
} from './support/command.ts'

let command: Command
let root: string

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

beforeEach(async () => {
  root = await scratch()
})

afterEach(() => rm(root, { recursive: true, force: true }))

/** Loads twice, the second time from the cache if it can be. */
async function loadTwice(files: Record<string, string>): Promise<Outcome[]> {
  await writeFiles(root, files)
  return [await command.load(root, 'f'), await command.load(root, 'f')]
}

function installed(copy: string, version?: string): Record<string, string> {
  const files = Object.entries(stubPackage(copy, version))
  return Object.fromEntries(files.map(([path, text]) => [`node_modules/hexagon/${path}`, text]))
}

const typescript = `import { graph } from 'hexagon'\nexport default graph('f')\n`
const javascript = typescript
const commonJs = `const { graph } = require('hexagon')\nmodule.exports = graph('f')\n`

const flows = [
  ['TypeScript', { 'flows/f.ts': typescript }],
  ['.mts', { 'flows/f.mts': typescript }],
  ['.cts', { 'flows/f.cts': typescript }],
  [
    'TypeScript of an ES module project',
    { 'package.json': '{"type":"module"}', 'flows/f.ts': typescript },
  ],
  [
    'TypeScript of a CommonJS project',
    { 'package.json': '{"type":"commonjs"}', 'flows/f.ts': typescript },
  ],
  ['.mjs', { 'flows/f.mjs': javascript }],
  [
    'JavaScript of an ES module project',
    { 'package.json': '{"type":"module"}', 'flows/f.js': javascript },
  ],
  ['JavaScript without a type', { 'flows/f.js': javascript }],
  ['CommonJS', { 'flows/f.cjs': commonJs }],
  ['CommonJS of a project without a type', { 'flows/f.js': commonJs }],
  ['CommonJS in TypeScript', { 'flows/f.cts': commonJs }],
  [
    'TypeScript that requires',
    { 'flows/f.ts': `const { graph } = require('hexagon')\nexport default graph('f' as string)\n` },
  ],
] as const

describe('B80 B83 a flow', () => {
  let starts: Start[]
  const namesOf = (title: string): unknown[] =>
    starts.map(({ byTitle }) => byTitle.get(title)?.['name'])

  beforeAll(async () => {
    const own = flows.map(([title, files]) => ({
      title: `${title}, own`,
      files: Object.assign(installed('project', '0.9.0'), files),
    }))
    const bare = flows.map(([title, files]) => ({ title: `${title}, none`, files }))
    starts = await loadAll(command, [...own, ...bare], 2)
  })

  test.each(flows)('in %s gets the library of its project', (title) => {
    expect(namesOf(`${title}, own`)).toEqual(['f@project', 'f@project'])
  })

  test.each(flows)('in %s gets the library of the command where its project has none', (title) => {
    expect(namesOf(`${title}, none`)).toEqual(['f@command', 'f@command'])
  })

  test('causes no warning', () => {
    expect(starts.map(({ stderr }) => stderr)).toEqual(['', ''])
  })
})

describe('B83 a library of another major', () => {
  let start: Start | undefined

  beforeAll(async () => {
    const cases = flows.map(([title, files]) => ({
      title,
      files: Object.assign(installed('project', '2.1.0'), files),
    }))
    ;[start] = await loadAll(command, cases, 1)
  })

  test.each(flows)('is refused before it is loaded, in %s', (title) => {
    expect(start?.byTitle.get(title)).toMatchObject({
      code: 'E1112',
      message: 'The flow uses hexagon 2.1.0, the command is 0.1.0',
      hint: expect.stringContaining('npx hexagon'),
    })
  })
})

describe('the library', () => {
  test('has more than one entry', async () => {
    const [outcome] = await loadTwice({
      'flows/f.ts': `import { testing } from 'hexagon/testing'\nexport default function f() { return testing }\n`,
    })

    expect(outcome?.result).toMatchObject({ kind: 'function', name: 'f' })
  })

  test('is looked for again once the project has one', async () => {
    await loadTwice({ 'flows/f.ts': typescript })
    await writeFiles(root, installed('project'))

    expect((await command.load(root, 'f')).result).toMatchObject({ name: 'f@project' })
    await rm(join(root, 'node_modules'), { recursive: true })
    expect((await command.load(root, 'f')).result).toMatchObject({ name: 'f@command' })
  })

  test('may be nearer to the flow than the project', async () => {
    const near = Object.entries(installed('near')).map(([path, text]) => [`flows/${path}`, text])
    await writeFiles(root, { ...installed('project'), 'flows/f.ts': typescript })
    expect((await command.load(root, 'f')).result).toMatchObject({ name: 'f@project' })
    await writeFiles(root, Object.fromEntries(near))

    expect((await command.load(root, 'f')).result).toMatchObject({ name: 'f@near' })
  })

  test('may be linked', async () => {
    await writeFiles(root, { 'flows/f.ts': typescript })
    await mkdir(join(root, 'node_modules'))
    await symlink(command.library, join(root, 'node_modules/hexagon'))

    expect((await command.load(root, 'f')).result).toMatchObject({ name: 'f@command' })
  })

  test('may be the package that the flow itself lies in', async () => {
    const outcomes = await loadTwice({ ...stubPackage('self'), 'flows/f.ts': typescript })

    expect(outcomes.map(({ result }) => result['name'])).toEqual(['f@self', 'f@self'])
  })

  test('without the entry that is asked for is said to lack it', async () => {
    const [outcome] = await loadTwice({
      'flows/f.ts': `import { x } from 'hexagon/nope'\nexport default () => x\n`,
    })

    expect(outcome?.result).toMatchObject({ code: 'E1109' })
  })
})
