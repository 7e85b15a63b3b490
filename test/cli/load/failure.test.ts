import { rm } from 'node:fs/promises'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { installCommand, scratch, writeFiles, type Command } from './support/command.ts'

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

/** The error of loading `flows/f.ts` among these files. */
async function errorOf(files: Record<string, string>, argument = 'flows/f.ts'): Promise<unknown> {
  await writeFiles(root, files)
  const { result } = await command.load(root, argument)
  return result
}

const manifests = [
  ['an ES module project', { 'package.json': '{"type":"module"}' }],
  ['a CommonJS project', { 'package.json': '{"type":"commonjs"}' }],
  ['a bare directory', {}],
] as const

describe.each(manifests)('in %s', (_kind, manifest) => {
  test('a syntax error is shown with its lines', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': 'export default function flow( {\n  const x: = 3;\n}\n',
    })

    expect(error).toMatchObject({
      code: 'E1107',
      message: expect.stringContaining('flows/f.ts does not compile'),
      details: {
        file: 'flows/f.ts',
        line: 2,
        column: 9,
        frame: [
          'flows/f.ts:2:9  Expected "}" but found "x"',
          '1 │ export default function flow( {',
          '2 │   const x: = 3;',
          '  │         ^',
          '3 │ }',
        ].join('\n'),
      },
    })
  })

  test('a syntax error in what is imported names that file', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import './x'\nexport default () => 1`,
      'flows/x.ts': 'export const 流: string = "流" + ;',
    })

    expect(error).toMatchObject({
      code: 'E1107',
      details: { file: 'flows/x.ts', line: 1, column: 32 },
    })
  })

  test('a syntax error in JavaScript is shown, too', async () => {
    expect(await errorOf({ ...manifest, 'flows/f.mjs': 'export default (' }, 'f')).toMatchObject({
      code: 'E1107',
    })
    expect(await errorOf({ ...manifest, 'flows/g.cjs': 'module.exports = (' }, 'g')).toMatchObject({
      code: 'E1107',
    })
  })

  test('broken JSON is shown', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import data from './d.json'\nexport default () => data`,
      'flows/d.json': '{\n  "a": 1,,\n}',
    })

    expect(error).toMatchObject({ code: 'E1107', details: { file: 'flows/d.json', line: 2 } })
  })

  test('a missing file is named, with the one that imports it', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import x from './nope.js'\nexport default () => x`,
    })

    expect(error).toMatchObject({
      code: 'E1109',
      message: 'flows/f.ts imports "./nope.js", which does not exist (nor nope.ts)',
    })
  })

  test('a missing package is named, with the way to install it', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import './x'\nexport default () => 1`,
      'flows/x.ts': `import { z } from '@scope/zod/v4'\nexport const x = z`,
    })

    expect(error).toMatchObject({
      code: 'E1109',
      message: 'Package "@scope/zod" is not installed (imported by flows/x.ts)',
      hint: 'npm install @scope/zod',
    })
  })

  test('a package that lacks one of its own is blamed', async () => {
    const error = await errorOf({
      ...manifest,
      'node_modules/half/package.json': '{"type":"module","exports":"./i.js"}',
      'node_modules/half/i.js': `import other from 'other-half'\nexport default other`,
      'flows/f.ts': `import x from 'half'\nexport default () => x`,
    })

    expect(error).toMatchObject({
      code: 'E1109',
      message: 'Package "other-half" is not installed (imported by node_modules/half/i.js)',
    })
  })

  test('what a package does not offer is named', async () => {
    const error = await errorOf({
      ...manifest,
      'node_modules/shut/package.json': '{"type":"module","exports":"./i.js"}',
      'node_modules/shut/i.js': '',
      'flows/f.ts': `import x from 'shut/inner'\nexport default () => x`,
    })

    expect(error).toMatchObject({
      code: 'E1109',
      message: expect.stringContaining('"shut/inner", which its package does not offer'),
    })
  })

  test('a missing export is named', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import { x } from './lib.js'\nexport default () => x`,
      'flows/lib.ts': 'export const y = 1',
    })

    expect(error).toMatchObject({
      code: 'E1110',
      message: '"./flows/lib.ts" has no export "x" (imported by flows/f.ts)',
    })
  })

  test('a missing export of a package is named', async () => {
    const error = await errorOf({
      ...manifest,
      'node_modules/esm/package.json': '{"type":"module","exports":"./i.js"}',
      'node_modules/esm/i.js': 'export const y = 1',
      'flows/f.ts': `import { x } from 'esm'\nexport default () => x`,
    })

    expect(error).toMatchObject({
      code: 'E1110',
      message: '"node_modules/esm/i.js" has no export "x" (imported by flows/f.ts)',
    })
  })

  test('a file without a flow lists what it has', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': 'export const steps = [1]\nexport const helper = () => 1',
    })

    expect(error).toMatchObject({
      code: 'E1111',
      message: 'flows/f.ts has no default export that is a flow. Exports: helper, steps',
      hint: 'Use flows/f.ts#helper',
    })
  })

  test.each(['', 'export default 1', 'export default class Flow {}', 'export default {}'])(
    '%j has no flow',
    async (text) => {
      expect(await errorOf({ ...manifest, 'flows/f.ts': text })).toMatchObject({ code: 'E1111' })
    },
  )

  test('an error while loading comes with its place', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import { start } from './x'\ntype A = string\n\nexport default start()`,
      'flows/x.ts': `interface B { a: string }\n\nexport function start(): void {\n  throw new TypeError('boom')\n}`,
    })

    expect(error).toMatchObject({
      code: 'E1113',
      message: 'flows/f.ts failed while loading: TypeError: boom (flows/x.ts:4:9)',
    })
  })

  test('what is no error is shown, too', async () => {
    expect(await errorOf({ ...manifest, 'flows/f.ts': `throw 'boom'` })).toMatchObject({
      code: 'E1113',
      message: 'flows/f.ts failed while loading: boom',
    })
  })

  test('an error of the graph itself stays what it is', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `throw Object.assign(new Error('Node "x" is never reached'), { [Symbol.for('hexagon.error')]: true, code: 'E1118' })`,
    })

    expect(error).toMatchObject({ code: 'E1118', message: 'Node "x" is never reached' })
  })

  test('O19 files that import each other work where they can', async () => {
    await writeFiles(root, {
      ...manifest,
      'flows/f.ts': `import { b } from './b'\nexport function a(): string { return 'a' }\nexport default () => b()`,
      'flows/b.ts': `import { a } from './f'\nexport const b = (): string => a() + 'b'`,
    })

    expect((await command.load(root, 'flows/f.ts', { input: 0 })).result).toMatchObject({
      output: 'ab',
    })
  })

  test('O19 files that import each other are named where they can not', async () => {
    const error = await errorOf({
      ...manifest,
      'flows/f.ts': `import { b } from './b'\nexport const a: string = 'a'\nexport default () => b`,
      'flows/b.ts': `import { a } from './f'\nexport const b: string = a + 'b'`,
    })

    expect(error).toMatchObject({
      code: 'E1113',
      message: expect.stringContaining("Cannot access 'a' before initialization (flows/b.ts:2:"),
      hint: expect.stringContaining('flows/b.ts → flows/f.ts → flows/b.ts'),
    })
  })
})

test('top-level await beside require says what to do', async () => {
  const error = await errorOf({
    'flows/f.ts': `const { join } = require('node:path')\nawait 0\nexport default () => join('a')`,
  })

  expect(error).toMatchObject({
    code: 'E1108',
    message: 'flows/f.ts uses top-level await in a CommonJS module',
    hint: expect.stringContaining('Rename it to flows/f.mts'),
  })
})

test('O19 CommonJS files that require each other are named', async () => {
  const error = await errorOf(
    {
      'flows/f.cjs': `const { b } = require('./b.cjs')\nexports.a = { name: 'a' }\nmodule.exports = () => b`,
      'flows/b.cjs': `const { a } = require('./f.cjs')\nexports.b = a.name + 'b'`,
    },
    'f',
  )

  expect(error).toMatchObject({
    code: 'E1113',
    message: expect.stringContaining('(flows/b.cjs:2:15)'),
    hint: expect.stringContaining('flows/b.cjs → flows/f.cjs → flows/b.cjs'),
  })
})

test('a broken tsconfig is shown', async () => {
  const error = await errorOf({
    'tsconfig.json': '{"compilerOptions": {',
    'flows/f.ts': 'export default () => 1',
  })

  expect(error).toMatchObject({ code: 'E1107', message: expect.stringContaining('tsconfig.json') })
})

test('an error of a second start has the same place', async () => {
  const files = {
    'flows/f.ts': `type A = string\n\n\nexport default (): void => {\n  throw new Error('late')\n}`,
  }
  await writeFiles(root, files)
  const stacks = [
    await command.load(root, 'f', { input: 0 }),
    await command.load(root, 'f', { input: 0 }),
  ]

  expect(stacks.map(({ result }) => String(result['crash']))).toEqual([
    expect.stringContaining('flows/f.ts:5:9'),
    expect.stringContaining('flows/f.ts:5:9'),
  ])
})
