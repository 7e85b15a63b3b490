import type { Paint } from '../terminal/color.ts'
import { drawnColumns } from '../terminal/console.ts'
import type { Symbols } from '../terminal/symbols.ts'
import type { Screen, Terminal } from '../terminal/terminal.ts'

/** What lines are made for: how wide, which signs, which colours, what time it is. */
export interface View {
  readonly columns: number
  readonly rows: number
  readonly isTTY: boolean
  readonly paint: Paint
  readonly symbols: Symbols
  /** Milliseconds since 1970. */
  readonly now: number
  /** Sentences instead of drawings: for line terminals and screen readers. */
  readonly plain: boolean
}

/** What a view needs of a terminal. */
export type Viewable = Pick<Terminal, 'out' | 'err' | 'symbols' | 'plain'>

/** A view of standard error: at most 100 columns wide. */
export function viewOf(terminal: Viewable, now: () => number = Date.now): View {
  return { ...base(terminal, terminal.err), columns: drawnColumns(terminal.err), now: now() }
}

/** A view of standard output, as wide as it is: for tables. */
export function outViewOf(terminal: Viewable, now: () => number = Date.now): View {
  return { ...base(terminal, terminal.out), columns: terminal.out.columns, now: now() }
}

function base({ symbols, plain }: Viewable, screen: Screen): Omit<View, 'columns' | 'now'> {
  const { rows, isTTY, paint } = screen
  return { rows, isTTY, paint, symbols, plain }
}
