import { DamagedError, HexagonError, messageOf, StoreWriteError } from '../../core/errors.ts'
import { codeOf, writeErrorOf } from '../file/store-error.ts'

// SQLite's own numbers: the package has names for some of them only, and adds to a number what it is in detail.
const DETAIL = 0x1_00
const BUSY: ReadonlySet<number> = new Set([5, 6])
const DAMAGED: ReadonlySet<number> = new Set([11, 26])
const FULL = 13
/** Rows that don't agree with each other: the checks before a write have passed. */
const CONSTRAINT = 19
const READ_ONLY = 8
const UNWRITABLE: ReadonlySet<number> = new Set([3, READ_ONLY, 10, 14])

/** True when another process has the database just now. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(numberOf(error))
}

/** True when a part of the database can't be read. */
export function isCorrupt(error: unknown): boolean {
  return DAMAGED.has(numberOf(error))
}

/** Turns what the database says into the store's error; other errors stay. */
export function storeErrorOf(path: string, error: unknown): unknown {
  if (error instanceof HexagonError) return error
  const number = numberOf(error)
  if (DAMAGED.has(number) || number === CONSTRAINT) return new DamagedError(path, messageOf(error))
  if (number === FULL) {
    const message = `No space left on device: ${path}. What was committed before is intact`
    return new StoreWriteError('E1311', message, error)
  }
  const isUnopened = messageOf(error).includes('Unable to open connection')
  if (isUnopened || UNWRITABLE.has(number)) {
    const why = number === READ_ONLY ? ' (SQLite writes beside a database even to read it)' : ''
    return new StoreWriteError('E1310', `Cannot write ${path}: ${messageOf(error)}${why}`, error)
  }
  return codeOf(error).startsWith('E') ? writeErrorOf(path, error) : error
}

/** What SQLite numbers an error, without the details; 0 for an error of something else. */
function numberOf(error: unknown): number {
  const isNumbered = error instanceof Error && 'rawCode' in error
  return isNumbered ? Number(error.rawCode) % DETAIL : 0
}
