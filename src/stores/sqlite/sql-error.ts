import { DamagedError, HexagonError, messageOf, StoreWriteError } from '../../core/errors.ts'
import { codeOf, writeErrorOf } from '../file/store-error.ts'

const DAMAGED = ['SQLITE_NOTADB', 'SQLITE_CORRUPT']
const BUSY = ['SQLITE_BUSY', 'SQLITE_LOCKED']
const UNWRITABLE = ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_IOERR', 'SQLITE_PERM']

/** True when another process has the database just now. */
export function isBusy(error: unknown): boolean {
  return isOneOf(error, BUSY)
}

/** True when a part of the database can't be read. */
export function isCorrupt(error: unknown): boolean {
  return isOneOf(error, DAMAGED)
}

/** Turns what the database says into the store's error; other errors stay. */
export function storeErrorOf(path: string, error: unknown): unknown {
  if (error instanceof HexagonError) return error
  if (isOneOf(error, DAMAGED)) return new DamagedError(path, messageOf(error))
  if (isOneOf(error, ['SQLITE_FULL'])) {
    const message = `No space left on device: ${path}. What was committed before is intact`
    return new StoreWriteError('E1311', message, error)
  }
  const isUnopened = messageOf(error).includes('Unable to open connection')
  if (isUnopened || isOneOf(error, UNWRITABLE)) {
    return new StoreWriteError('E1310', `Cannot write ${path}: ${messageOf(error)}`, error)
  }
  return codeOf(error).startsWith('E') ? writeErrorOf(path, error) : error
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  const code = codeOf(error)
  return codes.some((known) => code.startsWith(known))
}
