import type { Option } from '../terminal/prompter.ts'
import { safe } from '../terminal/safe.ts'
import { wrap } from '../terminal/wrap.ts'
import { wording } from './wording.ts'

/** An option whose name can be drawn and told from the others. */
export interface ShownOption<T> extends Option<T> {
  readonly short: string
}

const LINE_BREAK = /\s*\n\s*/gu
const NAME_LINES = 3
const MOST_ROWS = 15
/** The pointer and a space before a name, and the column terminals wrap at. */
const MARGIN = 3

/**
 * Names that are safe and have no line breaks of their own, never empty, numbered where they repeat, and wrapped
 * under themselves.
 */
export function shownOptions<T>(options: readonly Option<T>[], columns: number): ShownOption<T>[] {
  const seen = new Map<string, number>()
  return options.map((option) => {
    // A name with line breaks would look like several options.
    const bare = safe(option.name).replaceAll(LINE_BREAK, ' ')
    const visible = bare.trim() === '' ? wording.choice.empty : bare
    const count = (seen.get(visible) ?? 0) + 1
    seen.set(visible, count)
    const short = count === 1 ? visible : `${visible} (${count})`
    const description =
      option.description === undefined ? {} : { description: safe(option.description) }
    return { value: option.value, short, name: fit(short, columns - MARGIN), ...description }
  })
}

/** How many rows of a list are shown: never more than leaves the current one on the screen. */
export function pageSize(options: readonly { readonly name: string }[], rows: number): number {
  const lines = options.slice(0, MOST_ROWS).flatMap(({ name }) => name.split('\n'))
  return Math.max(1, Math.min(lines.length, rows - 8, MOST_ROWS))
}

function fit(name: string, width: number): string {
  // A name that fits is not taken apart: lists may hold ten thousand.
  if (name.length * 2 <= width) return name
  const lines = wrap(name.slice(0, width * (NAME_LINES + 1)), width)
  const kept = lines.slice(0, NAME_LINES)
  const cut = lines.length > NAME_LINES || name.length > width * (NAME_LINES + 1)
  return kept.join('\n  ') + (cut ? '…' : '')
}
