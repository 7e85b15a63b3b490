import type { ImportRecord } from './import-record.ts'

/** Where an import is sent instead. */
export interface Replacement {
  readonly specifier: string
  /** The copy is JavaScript whatever the original was, so `with { type: 'json' }` goes. */
  readonly dropsAttribute: boolean
}

// What esbuild prints without spaces, and nothing else looks like it outside of strings.
const IMPORT = /(\bfrom|\bimport\(?)("(?:[^"\\]|\\.)*")(with\{type:"json"\})?/gu

/**
 * The code with its imports sent elsewhere. Undefined when the text has more places that look like one of
 * these imports than the code has: then one of them is only text.
 */
export function relocate(
  code: string,
  records: readonly ImportRecord[],
  replacements: ReadonlyMap<string, Replacement>,
): string | undefined {
  const sent = new Map([...replacements].map(([from, to]) => [JSON.stringify(from), to]))
  const due = new Map<string, number>()
  for (const { specifier, kind } of records) {
    const literal = JSON.stringify(specifier)
    if (kind !== 'require' && sent.has(literal)) due.set(literal, (due.get(literal) ?? 0) + 1)
  }
  const moved = code.replaceAll(IMPORT, (...match: string[]) => {
    const [whole = '', head = '', literal = '', attribute = ''] = match
    const replacement = sent.get(literal)
    if (replacement === undefined) return whole
    due.set(literal, (due.get(literal) ?? 0) - 1)
    return (
      head + JSON.stringify(replacement.specifier) + (replacement.dropsAttribute ? '' : attribute)
    )
  })
  return [...due.values()].every((left) => left === 0) ? moved : undefined
}
