// Where an error is said to come from: each flow throws at a place that is known, in all kinds of project, from
// a copy just made and from one that was kept.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { installCommand, loadAll, type Command, type Start } from './support/command.ts'

type Files = Readonly<Record<string, string>>

interface Thrower {
  readonly title: string
  readonly files: Files
  /** The file that throws, `flows/f.ts` when left out. */
  readonly at?: string
  /** What stands where it throws; there once. */
  readonly mark?: string
}

let command: Command

beforeAll(async () => {
  command = await installCommand()
})

afterAll(() => command.remove())

const lib = {
  'flows/x.ts': 'export const x: number = 1\n',
  'flows/y.ts': 'export const y: number = 2\n',
  'flows/z.json': '{"z":3}',
}

const head = `import { readFileSync } from 'node:fs'
import { graph } from 'hexagon'
import { x } from './x'
import { y as why } from './y.ts'

interface Input {
  readonly name: string
}
`

const throwers: readonly Thrower[] = [
  {
    title: 'after several imports',
    files: {
      'flows/f.ts': `${head}
export default function flow(input: Input): void {
  if (graph !== undefined && readFileSync !== undefined) throw new Error(\`\${x}\${why}\`)
}
`,
    },
  },
  {
    title: 'inside an expression of many lines',
    files: {
      'flows/f.ts': `${head}
const fail = (input: Input): never => { throw new Error(String(input ?? x)) }
export default async (input: Input) => [graph.name, why,
  1].map((one) =>
    one === 1 ? fail(input) : one)
`,
    },
  },
  {
    title: 'by calling what is no function',
    mark: 'value.go()',
    files: {
      'flows/f.ts': `${head}
export default (input: Input) => {
  const value = { graph, x } as any; return value.go() + why
}
`,
    },
  },
  {
    title: 'after dynamic imports on its own line',
    files: {
      'flows/f.ts': `${head}
export default async (input: Input) => {
  const [a, b] = [await import('./x'), await import('./y.ts')]; if (a && b) throw new Error(graph.name + x + why)
}
`,
    },
  },
  {
    title: 'between two imports',
    files: {
      'flows/f.ts': `${head}
export default async (input: Input) => { await import('./x'); if (x) throw new Error('no'); await import('./y') }
export { y } from './y.ts'
export * from './x.js'
void [graph, why]
`,
    },
  },
  {
    title: 'below text of several lines',
    files: {
      'flows/f.ts': `${head}
const text = \`one \${graph.name}
  two \${x}\`; const more = async () => import('./x')
export default async (input: Input) => { await more(); throw new Error(text + why) }
`,
    },
  },
  {
    title: 'behind letters that take several bytes',
    files: {
      'flows/f.ts': `import { x } from './x'
export default async () => { const 流 = '💎 é'; await import('./y'); throw new Error(流 + x) }
`,
    },
  },
  {
    title: 'beside an import that gets shorter',
    files: {
      'flows/f.ts': `import z from './z.json' with { type: 'json' }
export default () => { if (z) throw new Error('no') }
`,
    },
  },
  {
    title: 'in a file that is imported',
    at: 'flows/deep/fail.ts',
    files: {
      'flows/f.ts': `import { fail } from './deep/fail'\nexport default () => fail('no')\n`,
      'flows/deep/fail.ts': `import { x } from '../x'
import { graph } from 'hexagon'
export function fail(text: string): never { if (graph && x) throw new Error(text); return fail('') }
`,
    },
  },
  {
    title: 'in JavaScript that had to be copied',
    at: 'flows/g.mjs',
    files: {
      'flows/f.ts': `import { fail } from './g.mjs'\nexport default () => fail()\n`,
      'flows/g.mjs': `import { x } from './x'\nexport const fail = () => { throw new Error(x) }\n`,
    },
  },
]

const manifests: readonly (readonly [string, Files])[] = [
  ['an ES module project', { 'package.json': '{"type":"module"}' }],
  ['a CommonJS project', { 'package.json': '{"type":"commonjs"}' }],
  ['a project without a type', { 'package.json': '{}' }],
  ['a bare directory', {}],
]

describe.each(manifests)('in %s', (_kind, manifest) => {
  let starts: Start[]

  beforeAll(async () => {
    const cases = throwers.map(({ title, files }) => ({
      title,
      files: { ...manifest, ...lib, ...files },
    }))
    starts = await loadAll(command, cases, 3)
  })

  test.each(throwers)('an error has the place where it was thrown: $title', (thrower) => {
    const place = placeIn(thrower)

    for (const { byTitle } of starts) {
      const { crash } = byTitle.get(thrower.title) ?? {}
      expect(firstPlace(crash)).toMatch(new RegExp(`/${place}$`, 'u'))
    }
  })
})

const byTsx: Thrower = {
  title: 'in a flow that only tsx can load',
  files: {
    'flows/f.ts': `${head}
const name = './x'
export default async (input: Input) => { await import(name); throw new Error(graph.name + x + why) }
`,
  },
}

test('in an ES module project a flow that only tsx can load says the same', async () => {
  const files = { 'package.json': '{"type":"module"}', ...lib, ...byTsx.files }

  const starts = await loadAll(command, [{ title: byTsx.title, files }], 2)

  for (const { byTitle, tsx } of starts) {
    expect(tsx).toBe(true)
    expect(firstPlace(byTitle.get(byTsx.title)?.['crash'])).toContain(`/${placeIn(byTsx)}`)
  }
})

describe.each(manifests)('in %s', (_kind, manifest) => {
  test('what throws while it loads has its place', async () => {
    const text = `${head}
void [graph, x, why, readFileSync]; throw new Error('no')
export default (input: Input) => input
`
    const files = { ...manifest, ...lib, 'flows/f.ts': text }

    const starts = await loadAll(command, [{ title: 'it', files }], 3)

    const place = placeIn({ title: 'it', files })
    for (const { byTitle } of starts)
      expect(byTitle.get('it')).toMatchObject({
        code: 'E1113',
        message: expect.stringContaining(place),
      })
  })
})

function placeIn({ files, at = 'flows/f.ts', mark = 'new Error(' }: Thrower): string {
  const before = (files[at] ?? '').split(mark)[0]?.split('\n') ?? []
  const dot = mark.indexOf('.') + 1
  return `${at}:${before.length}:${(before.at(-1) ?? '').length + 1 + dot}`
}

/** The topmost place of a stack. */
function firstPlace(stack: unknown): string {
  const [, place = ''] = /^ +at (?:.*\()?(.*?)\)?$/mu.exec(String(stack)) ?? []
  return place
}
