import type { Paint } from './color.ts'
import type { LogGate } from './log-gate.ts'
import type { Symbols } from './symbols.ts'
import type { Turn } from './turn.ts'

/** The keyboard and the screen that prompts use; commands never see it. */
export interface Console {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly paint: Paint
  readonly symbols: Symbols
  readonly logs: LogGate
  readonly exclusive: Turn
}

/** The widest that anything is drawn. */
export const MAX_COLUMNS = 100

/** How wide lines are drawn on a stream. */
export function drawnColumns({ columns }: { readonly columns?: number | undefined }): number {
  return Math.min(columns === undefined || columns < 1 ? 80 : columns, MAX_COLUMNS)
}
