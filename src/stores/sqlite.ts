import type { Clock } from '../core/clock.ts'
import type { Store } from '../core/store.ts'
import { sealedWith } from './sealed/sealed-with.ts'
import type { OnSqlPoint } from './sqlite/database.ts'
import { SqliteStore } from './sqlite/store.ts'

/** What may be set of a {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /** Gives the times that are stored, and decides what is due and when leases end; the system's clock when absent. */
  readonly clock?: Clock
  /** A longer record is refused; 64 MiB when absent. */
  readonly maxInlineBytes?: number
  /** `full` (when absent) survives a power cut; `normal` is quicker and may lose the last commits to one, not to a crash. */
  readonly synchronous?: 'full' | 'normal'
  /** Written into a new store: which version made it. */
  readonly createdBy?: string
  /** Encrypts what is stored: 32 bytes each in hex or base64. The first writes, all of them read. */
  readonly keys?: readonly string[] | undefined
  /** Called between any two effects on the database; for tests that end the process or make an effect fail. */
  readonly onFaultPoint?: OnSqlPoint
}

/**
 * Keeps threads in one SQLite database, safe from many processes of one machine and from crashes. The file
 * is made by the first write, and the package `libsql` loaded by the first use.
 * @throws SealedError E1325 for a key that is none
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const { clock = Date.now, synchronous = 'full', createdBy = '', onFaultPoint } = options
  const parts = { path, clock, synchronous, createdBy, onFaultPoint }
  return sealedWith(options, (inside) => new SqliteStore({ ...parts, ...inside }))
}
