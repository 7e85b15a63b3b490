// What a flow may be written in: the table of features in four kinds of project. Each kind is loaded whole by
// one process that has to compile, and by a second one that has to do without.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { installCommand, loadAll, type Command, type Start } from './support/command.ts'

type Files = Readonly<Record<string, string>>

interface Feature {
  readonly title: string
  /** What the flow gives. */
  readonly output: unknown
  readonly files: Files
  readonly argument?: string
  /** The same content is not enough for the second start: a file has come since. */
  readonly isNew?: boolean
}

let command: Command

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

const fromX = (specifier: string): string =>
  `import { value } from ${JSON.stringify(specifier)}\nexport default () => value\n`

const x = 'export const value: string = "from x"\n'

const specifiers: readonly Feature[] = [
  ['./x.js', 'flows/x.ts'],
  ['./x.ts', 'flows/x.ts'],
  ['./x', 'flows/x.ts'],
  ['./x', 'flows/x.tsx'],
  ['./x', 'flows/x/index.ts'],
  ['./x/', 'flows/x/index.ts'],
  ['../lib/x.mjs', 'lib/x.mts'],
  ['../lib/x', 'lib/x.ts'],
  ['./a b.ts', 'flows/a b.ts'],
  ['./流.ts', 'flows/流.ts'],
  ["./it's.ts", "flows/it's.ts"],
  ['./$x.ts', 'flows/$x.ts'],
].map(([specifier = '', path = '']) => ({
  title: `${specifier} means ${path}`,
  output: 'from x',
  files: { 'flows/f.ts': fromX(specifier), [path]: x },
}))

const names: readonly Feature[] = ['a b', '流', 'a#b', "it's", 'a%20b', '$x'].map((name) => ({
  title: `a flow's file may be called ${name}`,
  output: 'from x',
  files: { [`flows/${name}.ts`]: fromX('./x'), 'flows/x.ts': x },
  argument: `flows/${name}.ts`,
}))

const waiting: readonly Feature[] = ['ts', 'mts', 'cts', 'mjs', 'cjs', 'js'].map((extension) => ({
  title: `B79 .${extension} may await at its top`,
  output: 'waited',
  files: {
    [`flows/f.${extension}`]: `const v = await Promise.resolve('waited')\nexport default () => v\n`,
  },
}))

const dynamic: readonly Feature[] = ['./tool.ts', './tool.js', './tool'].map((specifier) => ({
  title: `B82 a node may import(${specifier})`,
  output: 'a tool',
  files: {
    'flows/f.ts': `export default async () => (await import('${specifier}')).tool`,
    'flows/tool.ts': `export const tool: string = 'a tool'`,
  },
}))

const others: readonly Feature[] = [
  {
    title: 'a source comes before what was compiled from it',
    output: 'from x',
    files: {
      'flows/f.ts': fromX('./x.js'),
      'flows/x.ts': x,
      'flows/x.js': 'export const value = "old"',
    },
  },
  {
    title: 'a chain of imports is followed',
    output: 'abcd',
    files: {
      'flows/f.ts': `import { b } from './b'\nexport default () => 'a' + b`,
      'flows/b.ts': `import { c } from '../lib/c.js'\nexport const b: string = 'b' + c`,
      'lib/c.ts': `import { d } from './deep/d.mjs'\nexport const c: string = 'c' + d`,
      'lib/deep/d.mjs': `export const d = 'd'`,
    },
  },
  {
    title: 'paths of the nearest tsconfig are followed',
    output: 'from x',
    files: {
      'tsconfig.json': `{
        // comments and commas are allowed
        "extends": "./base.json",
        "compilerOptions": { "strict": true, },
      }`,
      'base.json': '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["missing/*","lib/*"]}}}',
      'flows/f.ts': fromX('@/x.js'),
      'lib/x.ts': x,
    },
  },
  {
    title: 'import.meta tells the place of the original',
    output: ['f.ts', 'flows', true],
    files: {
      'flows/f.ts': `import { basename } from 'node:path'
        const { url, dirname, filename } =
          { url: import.meta.url, dirname: import.meta.dirname, filename: import.meta.filename }
        export default () => [basename(filename), basename(dirname), url === 'file://' + filename]`,
    },
  },
  {
    title: 'enums, namespaces and parameter properties work',
    output: [1, 'x', 2, 3],
    files: {
      'flows/f.ts': `enum Level { Low, High }
        namespace Names { export const x = 'x' }
        const enum Small { One = 2 }
        class Box { constructor(readonly content: number) {} }
        export default () => [Level.High, Names.x, Small.One, new Box(3).content]`,
    },
  },
  {
    title: 'decorators follow the tsconfig',
    output: [3],
    files: {
      'tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}',
      'flows/f.ts': `const seen: number[] = []
        function log(...args: unknown[]) { seen.push(args.length) }
        class A { @log run() {} }
        export default () => A && seen`,
    },
  },
  {
    title: 'JSON comes with and without an attribute',
    output: [1, 1, 2, true],
    files: {
      'flows/f.ts': `import plain from './d.json'
        import typed from './d.json' with { type: 'json' }
        import { two } from './d.json'
        export default () => [plain.one, typed.one, two, plain === typed]`,
      'flows/d.json': '{"one":1,"two":2,"a-b":3}',
    },
  },
  {
    title: 'a type needs no type keyword',
    output: 1,
    files: {
      'flows/f.ts': `import { Shape, value } from './x'\nconst v: Shape = value\nexport default () => v`,
      'flows/x.ts': 'export interface Shape {}\nexport const value = 1',
    },
  },
  {
    title: 'functions and classes keep their names',
    output: ['first', 'Second'],
    files: {
      'flows/f.ts': `export function first() {}
        class Second {}
        export default () => [first.name, Second.name]`,
    },
  },
  {
    title: 'B82 a file may be made before it is imported',
    output: 'made',
    files: {
      'flows/f.ts': `import { writeFileSync } from 'node:fs'
        export default async () => {
          writeFileSync(import.meta.dirname + '/late.mjs', 'export const value = "made"')
          return (await import('./late.mjs')).value
        }`,
    },
    isNew: true,
  },
  {
    title: 'text that looks like an import stays text',
    output: ['import { x } from "./x"', 'from x'],
    files: {
      'flows/f.ts': `import { value } from './x'
        export default () => ['import { x } from "./x"', value]`,
      'flows/x.ts': x,
    },
  },
  {
    title: 'a package is found as Node finds it',
    output: ['esm', 'cjs', 'inner'],
    files: {
      'node_modules/esm/package.json':
        '{"type":"module","exports":{".":{"import":"./m.js","require":"./c.cjs"},"./inner":"./i.js"}}',
      'node_modules/esm/m.js': 'export const name = "esm"',
      'node_modules/esm/i.js': 'export const name = "inner"',
      'node_modules/cjs/package.json': '{"main":"main.js"}',
      'node_modules/cjs/main.js': 'exports.name = "cjs"',
      'flows/f.ts': `import { name as a } from 'esm'
        import { name as b } from 'cjs'
        import { name as c } from 'esm/inner'
        export default () => [a, b, c]`,
    },
  },
  {
    title: 'a package may be TypeScript',
    output: ['main', 'inner'],
    files: {
      'node_modules/source/package.json': '{"main":"./src/index.ts"}',
      'node_modules/source/src/index.ts': `export { name } from './name.js'`,
      'node_modules/source/src/name.ts': `export const name: string = 'main'`,
      'node_modules/mapped/package.json': '{"exports":{"./inner":"./inner.mts"}}',
      'node_modules/mapped/inner.mts': `export const name: string = 'inner'`,
      'flows/f.ts': `import { name as a } from 'source'
        import { name as b } from 'mapped/inner'
        export default () => [a, b]`,
    },
  },
  {
    title: 'a file may begin with a mark of its encoding, or of its program',
    output: ['from x', 1],
    files: {
      'flows/f.ts': `\ufeffimport { value } from './x'\nimport data from './d.json'\nexport default () => [value, data.one]`,
      'flows/x.ts': `#!/usr/bin/env tsx\n${x}`,
      'flows/d.json': '\ufeff{"one":1}',
    },
  },
  {
    title: 'a package may pass on another of its files',
    output: 'a server',
    files: {
      'node_modules/web/index.js': `'use strict'\nmodule.exports = require('./lib/web')`,
      'node_modules/web/lib/web.js': `exports = module.exports = () => 'a server'`,
      'flows/f.ts': `import web from 'web'\nexport default () => web()`,
    },
  },
  {
    title: 'B80 CommonJS works in JavaScript',
    output: 'from x',
    files: {
      'flows/f.cjs': `const { value } = require('./x.cjs')\nmodule.exports = () => value`,
      'flows/x.cjs': `exports.value = 'from x'`,
    },
  },
]

const features = [...specifiers, ...names, ...waiting, ...dynamic, ...others]

const onlyTsx: readonly Feature[] = [
  {
    title: 'require beside import',
    output: ['x', 'f.ts'],
    files: {
      'flows/f.ts': `import { basename } from 'node:path'
        const { x } = require('./x')
        export default () => [x, basename(__filename)]`,
      'flows/x.ts': `export const x: string = 'x'`,
    },
  },
  {
    title: 'B80 module.exports in TypeScript',
    output: 'ok',
    files: { 'flows/f.cts': `module.exports = (): string => 'ok'` },
  },
  {
    title: 'B80 export = in TypeScript',
    output: 'ok',
    files: { 'flows/f.cts': `const f = (): string => 'ok'\nexport = f` },
  },
  ...['{"type":"module"}', '{}'].map((manifest) => ({
    title: `B82 an import that is computed, with ${manifest}`,
    output: 'a tool',
    files: {
      'package.json': manifest,
      'flows/f.ts': `export default async (): Promise<string> => {
          const name: string = 'tool'
          return (await import('./' + name + '.ts')).tool
        }`,
      'flows/tool.ts': `export const tool: string = 'a tool'`,
    },
  })),
  {
    title: 'B82 import() beside require',
    output: ['x', 'a tool', 'a tool'],
    files: {
      'flows/f.ts': `const { x } = require('./x')
        export default async () => [x, (await import('./tool')).tool, (await import('./tool.ts')).tool]`,
      'flows/x.ts': `export const x: string = 'x'`,
      'flows/tool.ts': `export const tool: string = 'a tool'`,
    },
  },
  {
    title: 'text that can not be told from an import',
    output: ['from"./x"', 'from x'],
    files: {
      'flows/f.ts': `import { value } from './x'\nexport default () => ['from"./x"', value]`,
      'flows/x.ts': x,
    },
  },
  {
    title: 'import.meta.resolve',
    output: 'function',
    files: {
      'package.json': '{"type":"module"}',
      'flows/f.ts': `const x: string = typeof import.meta.resolve\nexport default () => x`,
    },
  },
  {
    title: 'a default import of compiled CommonJS without a type',
    output: 'inner',
    files: {
      'node_modules/old/package.json': '{}',
      'node_modules/old/index.js':
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "inner"',
      'flows/f.ts': `import value from 'old'\nexport default () => value`,
    },
  },
  {
    title: 'the same through a file that passes it on',
    output: 'inner',
    files: {
      'node_modules/old/index.js': `module.exports = require('./dist')`,
      'node_modules/old/dist/index.js':
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "inner"',
      'flows/f.ts': `import value from 'old'\nexport default () => value`,
    },
  },
  {
    title: 'a type that is passed on without a type',
    output: 1,
    files: {
      'flows/f.ts': `import { value } from './all'\nexport default () => value`,
      'flows/all.ts': `export { Shape, value } from './x'`,
      'flows/x.ts': 'export interface Shape {}\nexport const value: number = 1',
    },
  },
]

/** Two starts of a table of features, in projects with a manifest. */
async function startTwice(table: readonly Feature[], manifest: Files): Promise<[Start, Start]> {
  const cases = table.map((feature) => {
    const files = Object.assign({}, manifest, feature.files)
    return { title: feature.title, argument: feature.argument ?? 'f', files }
  })
  const [first, second] = await loadAll(command, cases, 2)
  if (first === undefined || second === undefined) throw new Error('did not start twice')
  return [first, second]
}

describe.each([
  ['an ES module project', { 'package.json': '{"type":"module"}' }],
  ['a CommonJS project', { 'package.json': '{"type":"commonjs"}' }],
  ['a project without a type', { 'package.json': '{}' }],
  ['a bare directory', {}],
])('in %s', (_kind, manifest: Files) => {
  let first: Start
  let second: Start

  beforeAll(async () => {
    ;[first, second] = await startTwice(features, manifest)
  })

  test.each(features)('$title', ({ title, output, isNew = false }) => {
    expect(first.byTitle.get(title)).toMatchObject({ output })
    expect(second.byTitle.get(title)).toMatchObject({ output, cached: !isNew })
  })

  test('nothing of it needs tsx, and nobody is warned', () => {
    expect(first).toMatchObject({ tsx: false, stderr: '' })
    expect(second).toMatchObject({ tsx: false, stderr: '' })
  })
})

describe('what only tsx does exactly', () => {
  let first: Start
  let second: Start

  beforeAll(async () => {
    ;[first, second] = await startTwice(onlyTsx, {})
  })

  test.each(onlyTsx)('$title', ({ title, output }) => {
    expect(first.byTitle.get(title)).toMatchObject({ output })
    expect(second.byTitle.get(title)).toMatchObject({ output, cached: false })
  })

  test('is done without a warning', () => {
    expect(first).toMatchObject({ tsx: true, stderr: '' })
    expect(second).toMatchObject({ tsx: true, stderr: '' })
  })
})
