import type { Row } from './driver.ts'
import { fromStored } from './stored-text.ts'

/** A text column; null counts as empty. */
export function textIn(row: Row, column: string): string {
  return optionalTextIn(row, column) ?? ''
}

/** A text column that may be null. */
export function optionalTextIn(row: Row, column: string): string | undefined {
  const value = row[column]
  return typeof value === 'string' ? fromStored(value) : undefined
}

/** A number column; null counts as 0. */
export function numberIn(row: Row, column: string): number {
  return Number(row[column] ?? 0)
}
