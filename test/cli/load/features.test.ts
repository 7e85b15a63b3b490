import { rm } from 'node:fs/promises'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import {
  installCommand,
  scratch,
  writeFiles,
  type Command,
  type Outcome,
} from './support/command.ts'

let command: Command
let root: string

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

afterEach(() => rm(root, { recursive: true, force: true }))

const kinds = [
  ['an ES module project', { 'package.json': '{"type":"module"}' }],
  ['a CommonJS project', { 'package.json': '{"type":"commonjs"}' }],
  ['a project without a type', { 'package.json': '{}' }],
  ['a bare directory', {}],
] as const

/** A flow that gives `value`, in a project of these files; loaded twice. */
async function loadTwice(files: Record<string, string>, argument = 'f'): Promise<Outcome[]> {
  root = await scratch()
  await writeFiles(root, files)
  const first = await command.load(root, argument, { input: 0 })
  return [first, await command.load(root, argument, { input: 0 })]
}

describe.each(kinds)('in %s', (_kind, manifest) => {
  const gives = async (value: unknown, files: Record<string, string>): Promise<void> => {
    const outcomes = await loadTwice({ ...manifest, ...files })

    expect(
      outcomes.map(({ status, stderr, result }) => [status, stderr, result['output']]),
    ).toEqual([
      [0, '', value],
      [0, '', value],
    ])
    expect(outcomes[1]?.result).toMatchObject({ tsx: false, esbuild: false, cached: true })
  }

  const dependency = 'export const value: string = "from x"\n'
  const flow = (specifier: string): string =>
    `import { value } from '${specifier}'\nexport default () => value\n`

  test.each([
    ['./x.js', 'flows/x.ts'],
    ['./x.ts', 'flows/x.ts'],
    ['./x', 'flows/x.ts'],
    ['./x', 'flows/x.tsx'],
    ['./x', 'flows/x/index.ts'],
    ['./x/', 'flows/x/index.ts'],
    ['../lib/x.mjs', 'lib/x.mts'],
    ['../lib/x', 'lib/x.ts'],
  ])('%s means %s', async (specifier, path) => {
    await gives('from x', { 'flows/f.ts': flow(specifier), [path]: dependency })
  })

  test('a source comes before what was compiled from it', async () => {
    await gives('from x', {
      'flows/f.ts': flow('./x.js'),
      'flows/x.ts': dependency,
      'flows/x.js': 'export const value = "old"',
    })
  })

  test('a chain of imports is followed', async () => {
    await gives('abcd', {
      'flows/f.ts': `import { b } from './b'\nexport default () => 'a' + b`,
      'flows/b.ts': `import { c } from '../lib/c.js'\nexport const b: string = 'b' + c`,
      'lib/c.ts': `import { d } from './deep/d.mjs'\nexport const c: string = 'c' + d`,
      'lib/deep/d.mjs': `export const d = 'd'`,
    })
  })

  test('paths of the tsconfig beside the flow are followed', async () => {
    await gives('from x', {
      'tsconfig.json': `{
        // comments and commas are allowed
        "extends": "./base.json",
        "compilerOptions": { "strict": true, },
      }`,
      'base.json': '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["missing/*","lib/*"]}}}',
      'flows/f.ts': flow('@/x.js'),
      'lib/x.ts': dependency,
    })
  })

  test('B79 top-level await works', async () => {
    await gives('waited', {
      'flows/f.ts': `const value = await Promise.resolve('waited')\nexport default () => value\n`,
    })
  })

  test.each(['mts', 'cts', 'mjs', 'cjs', 'js'])(
    'B79 top-level await works in .%s',
    async (extension) => {
      await gives('waited', {
        [`flows/f.${extension}`]: `const value = await Promise.resolve('waited')\nexport default () => value\n`,
      })
    },
  )

  test('import.meta tells the place of the original', async () => {
    await gives(['f.ts', 'flows', true, '.hexagon'], {
      'flows/f.ts': `import { basename, join } from 'node:path'
        const { url, dirname, filename } = { url: import.meta.url, dirname: import.meta.dirname, filename: import.meta.filename }
        export default () => [basename(filename), basename(dirname), url === 'file://' + filename, basename(join(dirname, '../.hexagon'))]`,
    })
  })

  test('enums, namespaces and parameter properties work', async () => {
    await gives([1, 'x', 2, 3], {
      'flows/f.ts': `enum Level { Low, High }
        const enum Small { One = 2 }
        namespace Names { export const x = 'x' }
        class Box { constructor(readonly content: number) {} }
        export default () => [Level.High, Names.x, Small.One, new Box(3).content]`,
    })
  })

  test('decorators follow the tsconfig', async () => {
    const text = `function log(...args: unknown[]) { seen.push(args.length) }
        const seen: number[] = []
        class A { @log run() {} }
        export default () => [seen, typeof A]`
    await gives([[3], 'function'], {
      'tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}',
      'flows/f.ts': text,
    })
  })

  test('JSON comes with and without an attribute', async () => {
    await gives([1, 1, 2, true], {
      'flows/f.ts': `import plain from './d.json'
        import typed from './d.json' with { type: 'json' }
        import { two } from './d.json'
        export default () => [plain.one, typed.one, two, plain === typed]`,
      'flows/d.json': '{"one":1,"two":2,"a-b":3}',
    })
  })

  test('a type needs no type keyword', async () => {
    await gives(1, {
      'flows/f.ts': `import { Shape, value } from './x'\nconst v: Shape = value\nexport default () => v`,
      'flows/x.ts': 'export interface Shape {}\nexport const value = 1',
    })
  })

  test('a name that differs from its file keeps its own', async () => {
    await gives(['first', 'Second'], {
      'flows/f.ts': `export function first() {}\nclass Second {}\nexport default () => [first.name, Second.name]`,
    })
  })

  test.each(['a b', '流', 'a#b', "it's", 'a%20b', '$x'])(
    'a file may be called %s',
    async (name) => {
      const outcomes = await loadTwice(
        { ...manifest, [`flows/${name}.ts`]: flow('./x'), 'flows/x.ts': dependency },
        `flows/${name}.ts`,
      )

      expect(outcomes.map(({ stderr, result }) => [stderr, result['output']])).toEqual([
        ['', 'from x'],
        ['', 'from x'],
      ])
    },
  )

  test.each(['a b', '流', "it's", '$x'])('an imported file may be called %s', async (name) => {
    await gives('from x', {
      'flows/f.ts': `import { value } from ${JSON.stringify(`./${name}.ts`)}\nexport default () => value\n`,
      [`flows/${name}.ts`]: dependency,
    })
  })

  test.each(['./tool.ts', './tool.js', './tool'])(
    'B82 a node may import(%s)',
    async (specifier) => {
      await gives('a tool', {
        'flows/f.ts': `export default async () => (await import('${specifier}')).tool`,
        'flows/tool.ts': `export const tool: string = 'a tool'`,
      })
    },
  )

  test('B82 a file may be made before it is imported', async () => {
    const outcomes = await loadTwice({
      ...manifest,
      'flows/f.ts': `import { writeFileSync } from 'node:fs'
        export default async () => {
          writeFileSync(import.meta.dirname + '/late.mjs', 'export const value = "made"')
          return (await import('./late.mjs')).value
        }`,
    })

    expect(outcomes.map(({ result }) => result['output'])).toEqual(['made', 'made'])
  })

  test('B80 a default export is found', async () => {
    await gives('ok', { 'flows/f.ts': `export default () => 'ok'` })
  })

  test('B80 a default export is found in .cts', async () => {
    await gives('ok', { 'flows/f.cts': `export default () => 'ok'` })
  })

  test("an import of a package is Node's own", async () => {
    await gives(['esm', 'cjs', 'inner'], {
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
    })
  })

  test('#imports of the project work', async () => {
    const manifestText = {
      ...JSON.parse(manifest['package.json' as never] ?? '{}'),
      imports: { '#x': './lib/x.ts' },
    }
    await gives('from x', {
      'flows/f.ts': flow('#x'),
      'lib/x.ts': dependency,
      'package.json': JSON.stringify(manifestText),
    })
  })
})

describe('what only tsx does exactly', () => {
  const gives = async (value: unknown, files: Record<string, string>): Promise<void> => {
    const outcomes = await loadTwice(files)

    expect(
      outcomes.map(({ status, stderr, result }) => [
        status,
        stderr,
        result['output'],
        result['tsx'],
      ]),
    ).toEqual([
      [0, '', value, true],
      [0, '', value, true],
    ])
  }

  test.each([{}, { 'package.json': '{"type":"commonjs"}' }])(
    'require beside import in %j',
    async (manifest) => {
      await gives(['x', 'f.ts'], {
        ...manifest,
        'flows/f.ts': `import { basename } from 'node:path'
        const { x } = require('./x')
        export default () => [x, basename(__filename)]`,
        'flows/x.ts': `export const x: string = 'x'`,
      })
    },
  )

  test('B80 module.exports and export = in TypeScript', async () => {
    await gives('ok', { 'flows/f.cts': `module.exports = (): string => 'ok'` })
    await gives('ok', { 'flows/f.cts': `const f = (): string => 'ok'\nexport = f` })
  })

  test.each(['{"type":"module"}', '{}'])(
    'an import that is computed, with %s',
    async (manifest) => {
      await gives('a tool', {
        'package.json': manifest,
        'flows/f.ts': `export default async (): Promise<string> => {
          const name: string = 'tool'
          return (await import('./' + name + '.ts')).tool
        }`,
        'flows/tool.ts': `export const tool: string = 'a tool'`,
      })
    },
  )

  test('B82 an import() beside require', async () => {
    await gives(['x', 'a tool', 'a tool'], {
      'flows/f.ts': `import { basename } from 'node:path'
        const { x } = require('./x')
        export default async () => [x, (await import('./tool')).tool, (await import('./tool.ts')).tool]`,
      'flows/x.ts': `export const x: string = 'x'`,
      'flows/tool.ts': `export const tool: string = 'a tool'`,
    })
  })

  test('import.meta.resolve', async () => {
    await gives('function', {
      'package.json': '{"type":"module"}',
      'flows/f.ts': `const x: string = typeof import.meta.resolve\nexport default () => x`,
    })
  })

  test('a default import of compiled CommonJS without a type', async () => {
    await gives('inner', {
      'node_modules/old/package.json': '{}',
      'node_modules/old/index.js':
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "inner"',
      'flows/f.ts': `import value from 'old'\nexport default () => value`,
    })
  })

  test('a type that is passed on without a type', async () => {
    await gives(1, {
      'flows/f.ts': `import { value } from './all'\nexport default () => value`,
      'flows/all.ts': `export { Shape, value } from './x'`,
      'flows/x.ts': 'export interface Shape {}\nexport const value: number = 1',
    })
  })
})
