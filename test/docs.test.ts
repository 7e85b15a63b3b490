import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'

import { describe, expect, test } from 'vitest'

import manifest from '../package.json' with { type: 'json' }
import { exitCode, exitCodeOf } from '../src/cli/exit-code.ts'
import { commands } from '../src/cli/spec/catalog.ts'
import { HexagonError } from '../src/core/errors.ts'
import { anchorsOf, blocksOf, filesNamedIn, linksOf } from './support/markdown.ts'
import { readSources } from './support/source-file.ts'
import { compile } from './support/typescript-blocks.ts'

const root = resolve(import.meta.dirname, '..')
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path))
    .toSorted(),
]

describe.each(documents)('%s', (path) => {
  test('links to what exists', () => {
    const broken = linksOf(read(path)).filter((target) => !leadsSomewhere(path, target))

    expect(broken).toEqual([])
  })

  test('names files that exist', () => {
    const missing = filesNamedIn(read(path)).filter((name) => !existsSync(join(root, name)))

    expect(missing).toEqual([])
  })

  test('says why a block of TypeScript is not compiled', () => {
    const silent = blocksOf(read(path)).filter(
      ({ language, note }) => language === 'ts' && note !== '' && !/^no-check: \w.{10,}/.test(note),
    )

    expect(silent).toEqual([])
  })
})

test('every block of TypeScript compiles', () => {
  const blocks = documents.flatMap((path) =>
    blocksOf(read(path))
      .filter(({ language, note }) => language === 'ts' && note === '')
      .map(({ text, line }) => ({ path: join(root, `${path}-${line}.ts`), text })),
  )
  expect(blocks.length).toBeGreaterThan(5)

  expect(compile(root, blocks)).toEqual([])
}, 60_000)

describe('docs/errors.md', () => {
  const text = read('docs/errors.md')
  const headings = [...text.matchAll(/^### (E\d{4})$/gm)].map(([, code = '']) => code)

  test('has one heading for each code in src', () => {
    const codes = readSources(join(root, 'src')).flatMap((file) =>
      [...file.text.matchAll(/\bE[12]\d{3}\b/g)].map(([code]) => code),
    )

    expect(headings).toEqual([...new Set(headings)].toSorted())
    expect(headings).toEqual([...new Set(codes)].toSorted())
  })

  test('gives the exit code of each', () => {
    const said = [...text.matchAll(/^### (E\d{4})$[\s\S]*?Exit (\d+)\.$/gm)].map(
      ([, code, exit]) => `${code} ${exit}`,
    )

    expect(said).toEqual(
      headings.map((code) => `${code} ${exitCodeOf(new HexagonError(code, ''))}`),
    )
  })
})

describe('docs/cli.md', () => {
  const text = read('docs/cli.md')

  test('lists every command', () => {
    const listed = [...text.matchAll(/^\| `hexagon ([a-z]+)/gm)].map(([, name = '']) => name)

    expect(listed.toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
  })

  test('lists every exit code', () => {
    const listed = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split(', ').map(Number),
    )

    expect(listed).toEqual(Object.values(exitCode))
  })
})

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md')

  test('has at most 150 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  test('has the room table that the architecture test holds', () => {
    const said = [...text.matchAll(/^\| `([\w.]+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
      ([, room = '', rooms = '', outside = '']) => [room, words(rooms), words(outside)],
    )

    expect(said).toEqual(
      Object.entries(roomTable()).map(([room, { rooms, packages = [], builtins }]) => [
        room,
        rooms.toSorted(),
        [...packages, ...builtinsOf(builtins)].toSorted(),
      ]),
    )
  })

  test('names a test for each guarantee', () => {
    const [, guarantees = ''] = /^## Guarantees\n([\s\S]*?)^## /m.exec(text) ?? []
    const items = guarantees.split(/^\d+\. /m).slice(1)

    expect(items.length).toBeGreaterThan(5)
    expect(items.filter((item) => !/`test\/[\w./-]+`/.test(item))).toEqual([])
  })
})

describe('docs/parity.md', () => {
  const rows = [...read('docs/parity.md').matchAll(/^\|.*\| ([^|]+) \|$/gm)]
    .map(([row, proof = '']) => ({ row, proof }))
    .filter(({ proof }) => proof !== 'test')

  test('proves each row by a test, or says that it is open', () => {
    const titles = readSources(join(root, 'test')).flatMap(({ text }) =>
      [...text.matchAll(/['"`\s]([SBLO]\d+)(?= )/g)].map(([, number]) => number),
    )
    const known = new Set(titles)

    const unproved = rows.filter(
      ({ proof }) =>
        proof !== '**open**' &&
        !/^`test\/[\w./-]+`$/.test(proof) &&
        !(/^[SBLO]\d+$/.test(proof) && known.has(proof)),
    )

    expect(rows.length).toBeGreaterThan(80)
    expect(unproved).toEqual([])
  })
})

describe('README.md', () => {
  const text = read('README.md')

  test('shows a flow that is in the repository', () => {
    const shown = blocksOf(text).find(({ language }) => language === 'ts')?.text

    expect(shown).toBe(read('flows/hello.ts'))
  })

  test('lets a stranger run something within 60 lines', () => {
    const start = text.split('\n').slice(0, 60).join('\n')

    expect(start).toMatch(/^npm ci && node bin\/hexagon\.js run flows\/\S+/m)
    expect(start).toContain('npm ci && npm run check')
  })

  test('gives the test command that CI runs', () => {
    const gate = read('.ci/run')

    expect(gate).toMatch(/^npm ci$/m)
    expect(gate).toMatch(/^npm run check\b/m)
    expect(Object.keys(manifest.scripts)).toContain('check')
  })

  test('starts the command that the package has', () => {
    expect(manifest.bin.hexagon).toBe('bin/hexagon.js')
  })
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, from) : resolve(root, dirname(from), path)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
}

type Rooms = Record<
  string,
  {
    readonly rooms: string[]
    readonly packages?: string[]
    readonly builtins?: string | Record<string, string[]>
  }
>

/** The table of the architecture test, which is a literal. */
function roomTable(): Rooms {
  const [, literal] =
    /^const rooms: RoomTable = (\{[\s\S]*?^\})$/m.exec(read('test/architecture.test.ts')) ?? []
  return runInNewContext(`(${literal})`) as Rooms
}

function builtinsOf(builtins: string | Record<string, string[]> = {}): string[] {
  return typeof builtins === 'string' ? ['node:*'] : Object.values(builtins).flat()
}

/** The names in code spans. */
function words(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word).toSorted()
}
