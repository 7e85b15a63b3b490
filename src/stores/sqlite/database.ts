// One connection to one file. Every act runs to its end without a break, inside one transaction; what may
// have to wait for other processes waits outside of it.

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { StoreWriteError } from '../../core/errors.ts'
import type { StoredTexts } from '../file/folder.ts'
import {
  openConnection,
  type Connection,
  type Row,
  type SqlValue,
  type Statement,
} from './driver.ts'
import { makeTables, schemaOf } from './schema.ts'
import { assertReadable, markSealed } from './seal-mark.ts'
import { isBusy, storeErrorOf } from './sql-error.ts'

const PATIENCE_MS = 30_000
const LONGEST_PAUSE_MS = 20

/** Named places between two effects on a database, where a test may end the process or make the effect fail. */
export type SqlPoint =
  | 'database:made'
  | 'database:opened'
  | 'database:prepared'
  | 'database:checkpoint'
  | 'transaction:begun'
  | 'transaction:statement'
  | 'transaction:commit'
  | 'transaction:committed'

/** Called at each {@link SqlPoint} of a write; what it throws is taken for the failure of the next effect. */
export type OnSqlPoint = (point: SqlPoint) => void

/** What a database is opened with. */
export interface DatabaseOptions {
  readonly synchronous: 'full' | 'normal'
  readonly createdBy: string
  /** Whether texts are sealed, as far as who opens it cares; `any` when absent. */
  readonly texts?: StoredTexts | undefined
  readonly onFaultPoint?: OnSqlPoint | undefined
}

/** Statements inside a transaction. */
export class Sql {
  /** The database's file, for errors. */
  readonly path: string
  readonly #connection: Connection
  readonly #statements = new Map<string, Statement>()
  readonly #onPoint: OnSqlPoint | undefined

  constructor(path: string, connection: Connection, onPoint?: OnSqlPoint) {
    this.path = path
    this.#connection = connection
    this.#onPoint = onPoint
  }

  /** Carries a statement out; gives how many rows it changed. */
  run(sql: string, values: readonly SqlValue[]): number {
    this.#onPoint?.('transaction:statement')
    return this.#with(sql, (statement) => statement.run(values).changes)
  }

  get(sql: string, values: readonly SqlValue[]): Row | undefined {
    return this.#with(sql, (statement) => statement.get(values))
  }

  all(sql: string, values: readonly SqlValue[]): readonly Row[] {
    return this.#with(sql, (statement) => statement.all(values))
  }

  #with<T>(sql: string, act: (statement: Statement) => T): T {
    const statement = this.#prepared(sql)
    try {
      return act(statement)
    } catch (error) {
      // The package gives the same error for every later use of a statement that has failed once.
      this.#statements.delete(sql)
      throw error
    }
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** A database file; made by the first write, not looked for before the first read. */
export class Database {
  readonly path: string
  readonly #options: DatabaseOptions
  #opened: Promise<{ readonly connection: Connection; readonly sql: Sql }> | undefined

  constructor(path: string, options: DatabaseOptions) {
    this.path = path
    this.#options = options
  }

  /** Makes what is missing. @throws StoreWriteError, DamagedError, NewerFormatError, HexagonError E1321 */
  async ensure(): Promise<void> {
    await this.#open()
  }

  /** Reads one consistent state; undefined when there is no file. @throws DamagedError, NewerFormatError */
  async read<T>(act: (sql: Sql) => T): Promise<T | undefined> {
    if (!this.exists()) return undefined
    const { connection, sql } = await this.#open()
    return this.#patiently(() => reading(connection, () => act(sql)))
  }

  /** Changes something, all or nothing. @throws StoreWriteError, DamagedError, NewerFormatError */
  async write<T>(act: (sql: Sql) => T): Promise<T> {
    const { connection, sql } = await this.#open()
    return this.#patiently(() => this.#change(connection, () => act(sql)))
  }

  /** Writes the file anew, without what was deleted or overwritten. @throws StoreWriteError, DamagedError */
  async compact(): Promise<void> {
    const { connection } = await this.#open()
    await this.#patiently(() => connection.exec('vacuum'))
  }

  /** Closes the file; the next act opens it again. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    this.#opened = undefined
    if (opened === undefined) return
    try {
      this.#at('database:checkpoint')
      opened.connection.prepare('pragma wal_checkpoint(truncate)').all([])
    } catch {
      // Others are at work; one of them will do it.
    }
    opened.connection.close()
  }

  /** False when nothing was ever written. */
  exists(): boolean {
    if (this.#opened !== undefined) return true
    return statSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  #change<T>(connection: Connection, act: () => T): T {
    const result = within(connection, 'begin immediate', () => {
      this.#at('transaction:begun')
      if (this.#options.texts === 'sealed') markSealed(connection)
      const made = act()
      this.#at('transaction:commit')
      return made
    })
    this.#at('transaction:committed')
    return result
  }

  #at(point: SqlPoint): void {
    this.#options.onFaultPoint?.(point)
  }

  async #open(): Promise<{ readonly connection: Connection; readonly sql: Sql }> {
    this.#opened ??= this.#connect()
    try {
      return await this.#opened
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  async #connect(): Promise<{ readonly connection: Connection; readonly sql: Sql }> {
    const connection = await this.#patiently(() => {
      this.#makeFile()
      return openConnection(this.path)
    })
    this.#at('database:opened')
    try {
      await this.#patiently(() => this.#prepare(connection))
      this.#at('database:prepared')
    } catch (error) {
      connection.close()
      throw error
    }
    return { connection, sql: new Sql(this.path, connection, this.#options.onFaultPoint) }
  }

  /** The file and all that SQLite puts beside it are only for their owner. */
  #makeFile(): void {
    if (statSync(this.path, { throwIfNoEntry: false }) !== undefined) return
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    closeSync(openSync(this.path, 'a', 0o600))
    this.#at('database:made')
  }

  #prepare(connection: Connection): void {
    const { synchronous, createdBy, texts = 'any' } = this.#options
    // Before anything is changed: it may be the file of another program.
    const state = schemaOf(connection, this.path)
    assertReadable(connection, this.path, texts)
    connection.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`)
    if (state === 'ready') return
    within(connection, 'begin immediate', () => {
      // Another process may have been quicker.
      makeTables(connection, { state: schemaOf(connection, this.path), createdBy })
    })
  }

  /** Runs an act again while other processes are in its way. */
  async #patiently<T>(act: () => T | Promise<T>): Promise<T> {
    const end = performance.now() + PATIENCE_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await act()
      } catch (error) {
        if (!isBusy(error)) throw storeErrorOf(this.path, error)
        if (performance.now() > end) {
          const message = `Cannot write ${this.path}: other processes are writing all the time`
          throw new StoreWriteError('E1310', message, error)
        }
      }
      // Uneven pauses: processes that wait together don't come back together.
      await sleep(pause * (0.5 + Math.random()))
    }
  }
}

function within<T>(connection: Connection, begin: string, act: () => T): T {
  connection.exec(begin)
  try {
    const result = act()
    connection.exec('commit')
    return result
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

/** Looks at one state, whatever others write meanwhile. */
function reading<T>(connection: Connection, act: () => T): T {
  connection.exec('begin')
  try {
    return act()
  } finally {
    // Nothing was written. It also ends where a part could not be read and was done without.
    rollBack(connection)
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback')
  } catch {
    // Some errors have ended the transaction already.
  }
}
