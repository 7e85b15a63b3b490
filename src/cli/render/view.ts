import type { Paint } from '../terminal/color.ts'
import type { Symbols } from '../terminal/symbols.ts'

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
