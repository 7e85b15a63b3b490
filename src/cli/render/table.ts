import { safe } from '../terminal/safe.ts'
import { padEnd, truncate, widthOf } from '../terminal/width.ts'
import { wrap } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** One column of a table. */
export interface Column {
  readonly title: string
  /** Gets what the others leave; its cells are cut, or wrapped when `full` is asked for. */
  readonly flexible?: boolean
  /** Left out on a screen with fewer columns. */
  readonly from?: number
  readonly style?: (text: string) => string
}

/** A table's rows: one text for each column. */
export type Row = readonly string[]

const GAP = 2
const LEAST_FLEXIBLE = 12

/**
 * Rows under a header, fitted to the screen. In a pipe: no header, nothing cut, tabs between, for
 * programs.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly Row[],
  view: View & { readonly full?: boolean },
): string[] {
  const cells = rows.map((row) => row.map(cellText))
  if (!view.isTTY) return cells.map((row) => row.join('\t'))
  const kept = columns.flatMap((column, place) =>
    column.from === undefined || view.columns >= column.from ? [{ ...column, place }] : [],
  )
  const natural = kept.map(({ title, place }) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[place] ?? ''))),
  )
  const widths = fit(kept, natural, view.columns)
  const header = line(kept.map(({ title }, index) => padEnd(title, widths[index] ?? 0)))
  const body = cells.flatMap((row) => {
    const texts = kept.map(({ place }) => row[place] ?? '')
    return rowLines(texts, kept, { widths, full: view.full === true })
  })
  return [view.paint.dim(header), ...body]
}

/** Safe and on one line; runs of spaces stay, they may align something. */
function cellText(text: string): string {
  return safe(text).replaceAll('\n', ' ')
}

function fit(columns: readonly Column[], natural: readonly number[], room: number): number[] {
  const total = natural.reduce((sum, width) => sum + width, GAP * (columns.length - 1))
  const over = total - room
  if (over <= 0) return [...natural]
  return natural.map((width, index) =>
    columns[index]?.flexible === true ? Math.max(LEAST_FLEXIBLE, width - over) : width,
  )
}

function rowLines(
  texts: readonly string[],
  columns: readonly Column[],
  { widths, full }: { readonly widths: readonly number[]; readonly full: boolean },
): string[] {
  const stacks = texts.map((text, index) => {
    const width = widths[index] ?? 0
    return full ? wrap(text, width) : [truncate(text, width)]
  })
  const height = Math.max(...stacks.map((stack) => stack.length))
  return Array.from({ length: height }, (_, row) =>
    line(
      stacks.map((stack, index) => {
        const padded = padEnd(stack[row] ?? '', widths[index] ?? 0)
        return columns[index]?.style?.(padded) ?? padded
      }),
    ),
  )
}

function line(cells: readonly string[]): string {
  return cells.join(' '.repeat(GAP)).trimEnd()
}
