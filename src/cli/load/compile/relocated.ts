import type { ImportRecord } from './import-record.ts'
import { shiftMap, type Shift } from './shifted-map.ts'
import type { Script } from './source.ts'

/** Where an import is sent instead. */
export interface Replacement {
  readonly specifier: string
  /** The copy is JavaScript whatever the original was, so `with { type: 'json' }` goes. */
  readonly dropsAttribute: boolean
}

// What esbuild prints without spaces, and nothing else looks like it outside of strings.
const IMPORT = /(\bfrom|\bimport\(?)("(?:[^"\\]|\\.)*")(with\{type:"json"\})?/gu
const NEW_LINE = /\r\n|[\n\r\u2028\u2029]/gu

/**
 * The code with its imports sent elsewhere, and its map for where everything stands now. Undefined when the
 * text has more places that look like one of these imports than the code has: then one of them is only text.
 */
export function relocate(
  { code, map }: Script,
  records: readonly ImportRecord[],
  replacements: ReadonlyMap<string, Replacement>,
): Script | undefined {
  const sent = new Map([...replacements].map(([from, to]) => [JSON.stringify(from), to]))
  const due = dueOf(records, sent)
  const growths: Growth[] = []
  const moved = code.replaceAll(IMPORT, (...match: MatchArguments) => {
    const [whole, head, literal, attribute = '', at] = match
    const replacement = sent.get(literal)
    if (replacement === undefined) return whole
    due.set(literal, (due.get(literal) ?? 0) - 1)
    const text =
      head + JSON.stringify(replacement.specifier) + (replacement.dropsAttribute ? '' : attribute)
    growths.push({ end: at + whole.length, by: text.length - whole.length })
    return text
  })
  if ([...due.values()].some((left) => left !== 0)) return undefined
  return { code: moved, map: shiftMap(map, shiftsOf(code, growths)) }
}

type MatchArguments = [
  whole: string,
  head: string,
  literal: string,
  attribute: string | undefined,
  at: number,
  ...rest: unknown[],
]

/** Text that ended at an offset in the code, and how much longer it is now. */
interface Growth {
  readonly end: number
  readonly by: number
}

/** How often each literal has to be found. */
function dueOf(
  records: readonly ImportRecord[],
  sent: ReadonlyMap<string, Replacement>,
): Map<string, number> {
  const due = new Map<string, number>()
  for (const { specifier, kind } of records) {
    const literal = JSON.stringify(specifier)
    if (kind !== 'require' && sent.has(literal)) due.set(literal, (due.get(literal) ?? 0) + 1)
  }
  return due
}

/** By line, as Node counts them. */
function shiftsOf(code: string, growths: readonly Growth[]): Shift[] {
  const starts = [
    0,
    ...[...code.matchAll(NEW_LINE)].map(({ 0: text, index }) => index + text.length),
  ]
  let line = 0
  return growths.map(({ end, by }) => {
    while ((starts[line + 1] ?? Infinity) <= end) line += 1
    return { line, column: end - (starts[line] ?? 0), by }
  })
}
