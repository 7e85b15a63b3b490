import type { Option } from '../terminal/prompter.ts'
import { oneLine } from '../terminal/safe.ts'
import { widthOf } from '../terminal/width.ts'
import { shownOptions, type ShownOption } from './option-list.ts'

/** An option with what one types for it. */
export type WordedOption<T> = ShownOption<T> & { readonly word: string }

const CANDIDATES = 20
const GAP = '  '

/** Options for a line prompt. */
export function wordedOptions<T>(options: readonly Option<T>[]): WordedOption<T>[] {
  return shownOptions(options, Number.POSITIVE_INFINITY).map((shown, index) =>
    worded(shown, options[index]?.word),
  )
}

function worded<T>(shown: ShownOption<T>, word: string | undefined): WordedOption<T> {
  return { ...shown, word: word ?? shown.short }
}

/** Numbered words: on one line when they fit, else each on its own. */
export function listed<T>(options: readonly WordedOption<T>[], columns: number): string[] {
  const numbered = options.map(({ word, description }, index) => {
    const more = description === undefined ? '' : `: ${oneLine(description)}`
    return `${index + 1}) ${word}${more}`
  })
  const line = numbered.join(GAP)
  const fits = widthOf(line) <= columns && !line.includes('\n')
  const isPlain = options.every(({ description }) => description === undefined)
  return fits && isPlain ? [line] : numbered
}

/** The place of what was typed: the exact word first, then its number, then the word in any case. */
export function indexOf<T>(options: readonly WordedOption<T>[], text: string): number {
  const exact = options.findIndex(({ word, short }) => word === text || short === text)
  if (exact >= 0) return exact
  if (/^\d+$/u.test(text)) return Number(text) - 1
  const folded = text.toLowerCase()
  return options.findIndex(({ word }) => word.toLowerCase() === folded)
}

/** What a part of a name may have meant. */
export function candidates<T>(found: readonly WordedOption<T>[], total: number): string {
  const shown = found.slice(0, CANDIDATES).map(({ word }) => `  ${word}`)
  const more =
    total > shown.length ? [`  and ${(total - shown.length).toLocaleString('en')} more`] : []
  return [`${total.toLocaleString('en')} options have that in them:`, ...shown, ...more].join('\n')
}
