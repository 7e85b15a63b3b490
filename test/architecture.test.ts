import { resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import {
  drawers,
  importCycles,
  machineReads,
  processReads,
  type RoomTable,
  starExports,
  strayImports,
} from './support/architecture.ts'
import { readSources, type SourceFile } from './support/source-file.ts'

/** Who may import whom. This table is the architecture; ARCHITECTURE.md draws it. */
const rooms: RoomTable = {
  core: { rooms: [] },
  system: { rooms: ['core'], builtins: 'any' },
  runtime: {
    rooms: ['core', 'system'],
    builtins: { 'runtime/carrier.ts': ['node:async_hooks'] },
  },
  graph: { rooms: ['core', 'runtime'] },
  agents: { rooms: ['core', 'runtime', 'graph'] },
  runner: { rooms: ['core', 'runtime', 'system'] },
  stores: { rooms: ['core', 'system'], packages: ['lowdb', 'libsql'], builtins: 'any' },
  testing: { rooms: ['core', 'runtime', 'agents', 'stores'] },
  cli: {
    rooms: [
      'config.ts',
      'compose.ts',
      'core',
      'system',
      'runtime',
      'graph',
      'agents',
      'runner',
      'stores',
      'testing',
    ],
    packages: ['commander', '@inquirer/prompts', 'chalk', 'tsx', 'esbuild'],
    builtins: 'any',
  },
  'compose.ts': { rooms: ['core', 'runtime', 'graph', 'runner'] },
  'index.ts': { rooms: ['compose.ts', 'core', 'system', 'runtime', 'graph', 'agents', 'runner'] },
  'config.ts': { rooms: ['core'] },
}

/** The rooms that meet the operating system; all others are told what they need to know. */
const worldly = ['system', 'stores', 'cli']

/** `step` remembers what chance said, `retry` spreads its waits by it, and a run without a store has no host. */
const excused = ['runtime/step.ts', 'runtime/retry.ts', 'runtime/memory-services.ts']

const sources = readSources(resolve(import.meta.dirname, '../src'))

describe('the source tree', () => {
  test('has the public list among its files', () => {
    expect(sources.map(({ path }) => path)).toContain('index.ts')
  })

  test('follows the room table', () => {
    expect(strayImports(sources, rooms)).toEqual([])
  })

  test('has no drawer', () => {
    expect(drawers(sources)).toEqual([])
  })

  test('has no import cycle', () => {
    expect(importCycles(sources)).toEqual([])
  })

  test('exports by name only', () => {
    expect(starExports(sources)).toEqual([])
  })

  test('reads the process only in system, stores and cli', () => {
    expect(processReads(sources, worldly)).toEqual([])
  })

  test('takes time and chance from the machine only there', () => {
    expect(machineReads(sources, [...worldly, ...excused])).toEqual([])
  })

  test('has flows that import only what a user can', () => {
    const flows = readSources(resolve(import.meta.dirname, '../flows'))

    const outside = strayImports(
      flows.map(({ path, text }) => ({ path: `flows/${path}`, text })),
      { flows: { rooms: [], packages: ['hexagon', 'zod'], builtins: 'any' } },
    )

    expect(flows.length).toBeGreaterThan(0)
    expect(outside).toEqual([])
  })
})

describe('the room rule', () => {
  test.each([
    ['a closed door', 'core/a.ts', "import { b } from '../stores/b.ts'"],
    ['a type through a closed door', 'core/a.ts', "import type { B } from '../graph/b.ts'"],
    ['a lazy import through it', 'runner/a.ts', "await import('../graph/b.ts')"],
    ['a re-export through it', 'graph/a.ts', "export { b } from '../runner/b.ts'"],
    ['a type query through it', 'graph/a.ts', "type B = import('../cli/b.ts').B"],
    ['a side effect import through it', 'runtime/a.ts', "import '../agents/b.ts'"],
    ['a package outside its room', 'runner/a.ts', "import { Low } from 'lowdb'"],
    ['a scoped package outside its room', 'agents/a.ts', "import x from '@inquirer/prompts'"],
    ['a package nobody named', 'cli/a.ts', "import x from 'left-pad'"],
    ['a built-in in a pure room', 'core/a.ts', "import { join } from 'node:path'"],
    ['a built-in without its prefix', 'graph/a.ts', "import { join } from 'path'"],
    ['a built-in in the wrong file', 'runtime/a.ts', "import { x } from 'node:async_hooks'"],
    ['a room that the table does not know', 'cellar/a.ts', "import { b } from '../core/b.ts'"],
  ])('rejects %s', (_title, path, text) => {
    expect(strayImports([{ path, text }], rooms)).toEqual([expect.stringContaining(`${path} -> `)])
  })

  test.each([
    ['an open door', 'graph/a.ts', "import { b } from '../runtime/b.ts'"],
    ['a neighbour', 'core/a.ts', "import { b } from './b.ts'"],
    ['a package in its room', 'stores/a.ts', "import { JSONFile } from 'lowdb/node'"],
    ['a built-in in its one file', 'runtime/carrier.ts', "import { x } from 'node:async_hooks'"],
    [
      'text that only looks like an import',
      'core/a.ts',
      "// from 'lowdb'\nconst a = `import 'lowdb'`",
    ],
  ])('accepts %s', (_title, path, text) => {
    expect(strayImports([{ path, text }], rooms)).toEqual([])
  })
})

describe('the drawer rule', () => {
  test.each(['core/utils.ts', 'cli/prompt-helpers.ts', 'shared/a.ts', 'core/types/a.ts'])(
    'rejects %s',
    (path) => {
      expect(drawers([{ path, text: '' }])).toEqual([path])
    },
  )

  test('accepts names that only contain such a word', () => {
    expect(drawers([{ path: 'graph/subtypes-of.ts', text: '' }])).toEqual([])
  })
})

describe('the cycle rule', () => {
  test('shows the way round, through types and lazy imports too', () => {
    const files: SourceFile[] = [
      { path: 'core/a.ts', text: "import type { B } from './b.ts'" },
      { path: 'core/b.ts', text: "await import('../core/c.ts')" },
      { path: 'core/c.ts', text: "export { a } from './a.ts'" },
    ]

    expect(importCycles(files)).toEqual(['core/a.ts -> core/b.ts -> core/c.ts -> core/a.ts'])
  })

  test('accepts two ways to one file', () => {
    const files: SourceFile[] = [
      { path: 'a.ts', text: "import './b.ts'\nimport './c.ts'" },
      { path: 'b.ts', text: "import './d.ts'" },
      { path: 'c.ts', text: "import './d.ts'" },
      { path: 'd.ts', text: '' },
    ]

    expect(importCycles(files)).toEqual([])
  })
})

describe('the name rule', () => {
  test.each(["export * from './a.ts'", "export type * from './a.ts'"])('rejects %s', (text) => {
    expect(starExports([{ path: 'index.ts', text }])).toEqual(['index.ts'])
  })

  test.each(["export { a } from './a.ts'", "export * as a from './a.ts'"])('accepts %s', (text) => {
    expect(starExports([{ path: 'index.ts', text }])).toEqual([])
  })
})

describe('the process rule', () => {
  test.each([
    ['a bare read', 'const a = process.env'],
    ['a read through globalThis', 'const a = globalThis.process.pid'],
    ['a value handed on', 'start(process)'],
  ])('rejects %s', (_title, text) => {
    expect(processReads([{ path: 'core/a.ts', text }], worldly)).toEqual(['core/a.ts'])
  })

  test.each([
    ['a read in its room', 'system/a.ts', 'const a = process.pid'],
    ['a property of that name', 'core/a.ts', 'const a = job.process'],
    ['a key of that name', 'core/a.ts', 'const a = { process: 1 }'],
    ['a comment', 'core/a.ts', '// process'],
  ])('accepts %s', (_title, path, text) => {
    expect(processReads([{ path, text }], worldly)).toEqual([])
  })
})

describe('the machine rule', () => {
  test.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'performance.now()',
    'crypto.randomUUID()',
  ])('rejects %s', (text) => {
    expect(machineReads([{ path: 'graph/a.ts', text }], worldly)).toEqual(['graph/a.ts'])
  })

  test.each([
    ['a given time', 'core/a.ts', 'new Date(time).toISOString()'],
    ['the clock in its room', 'system/a.ts', 'Date.now()'],
    ['chance in its file', 'runtime/step.ts', 'Math.random()'],
    ['a clock that is handed in', 'runner/a.ts', 'services.clock()'],
  ])('accepts %s', (_title, path, text) => {
    expect(machineReads([{ path, text }], [...worldly, ...excused])).toEqual([])
  })
})
