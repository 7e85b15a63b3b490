import { SourceMap } from 'node:module'

import { transformSync } from 'esbuild'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { relocate } from '../../../../src/cli/load/compile/relocated.ts'
import { shiftMap } from '../../../../src/cli/load/compile/shifted-map.ts'
import type { Script } from '../../../../src/cli/load/compile/source.ts'

/** Statements with a mark that can be found again, `@` for its number, and with what may shift it. */
const STATEMENTS = [
  'mark_@(import("./x"))',
  'import("./y").then(() => mark_@())',
  'if (mark_@) { throw mark_@; }',
  'import * as a@ from "./x"; mark_@(a@)',
  'export * from "./y"\nmark_@()',
  'const t@ = `one\n  two ${mark_@}`',
  'const 流@ = "💎é"; mark_@(流@, import("./x"))',
  'type T@ = { readonly a: 1 };\n\n  mark_@()',
]

const statement = fc.constantFrom(...STATEMENTS)
const separator = fc.constantFrom('; ', '\n', ';\n  ')
const specifier = fc.string({ unit: fc.constantFrom('a', '/', '流', '"', '$&'), maxLength: 2000 })

test('every piece of code keeps the place it came from, whatever its imports grow or shrink to', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(statement, separator), { minLength: 1, maxLength: 12 }),
      specifier,
      specifier,
      (parts, x, y) => {
        const source = parts
          .map(([text, end], index) => text.replaceAll('@', `${index}_`) + end)
          .join('')

        const script = moved(compiled(source), { './x': x, './y': y })

        for (const mark of marksOf(script.code)) {
          expect(sourceOf(script, mark.line, mark.column)).toEqual(
            marksOf(source).filter(({ text }) => text === mark.text)[mark.nth],
          )
        }
      },
    ),
  )
})

test('a shift moves what stands behind it on its line, and nothing else', () => {
  const map = JSON.stringify({ version: 3, mappings: 'AAAA,IAAI,KAAK;AACA,KAAI' })

  const shifted: unknown = JSON.parse(
    shiftMap(map, [
      { line: 0, column: 4, by: 16 },
      { line: 0, column: 5, by: -1 },
    ]),
  )

  expect(shifted).toEqual({ version: 3, mappings: 'AAAA,oBAAI,IAAK;AACA,KAAI' })
})

test('without shifts a map stays as it is', () => {
  const { map } = compiled('a(); b()')

  expect(JSON.parse(shiftMap(map, []))).toEqual(JSON.parse(map))
})

function compiled(source: string): Script {
  return transformSync(source, {
    loader: 'ts',
    charset: 'utf8',
    minifyWhitespace: true,
    sourcemap: 'external',
    sourcefile: 'f.ts',
  })
}

function moved(script: Script, sent: Readonly<Record<string, string>>): Script {
  const records = Object.keys(sent).flatMap((specifier) => {
    const count = script.code.split(`"${specifier}"`).length - 1
    return Array.from({ length: count }, () => ({
      specifier,
      kind: 'static' as const,
      attribute: undefined,
    }))
  })
  const replacements = Object.entries(sent).map(
    ([from, to]) => [from, { specifier: to, dropsAttribute: false }] as const,
  )
  const result = relocate(script, records, new Map(replacements))
  if (result === undefined) throw new Error(`not moved: ${script.code}`)
  return result
}

interface Mark {
  readonly text: string
  /** Of the marks with this text. */
  readonly nth: number
  readonly line: number
  readonly column: number
}

function marksOf(code: string): Mark[] {
  const seen = new Map<string, number>()
  return [...code.matchAll(/mark_\d+_/gu)].map(({ 0: text, index }) => {
    const nth = seen.get(text) ?? 0
    seen.set(text, nth + 1)
    const before = code.slice(0, index).split('\n')
    return { text, nth, line: before.length - 1, column: (before.at(-1) ?? '').length }
  })
}

/** The mark that a debugger would name for this place. */
function sourceOf({ code, map }: Script, line: number, column: number): Mark | undefined {
  const found = new SourceMap(JSON.parse(map)).findEntry(line, column)
  const mark = marksOf(code).find((one) => one.line === line && one.column === column)
  if (mark === undefined || !('originalLine' in found)) return undefined
  return { ...mark, line: found.originalLine, column: found.originalColumn }
}
