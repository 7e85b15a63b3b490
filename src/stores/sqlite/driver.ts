// The only place that knows which package talks to SQLite. It has better-sqlite3's calls, is loaded when a
// database is opened, and may be missing.

import { HexagonError } from '../../core/errors.ts'

/** What a column may hold. */
export type SqlValue = string | number | null | Uint8Array | ArrayBuffer

/** One row by column. */
export type Row = Readonly<Record<string, SqlValue | undefined>>

/** A statement that was prepared. */
export interface Statement {
  run(values: readonly SqlValue[]): { readonly changes: number }
  get(values: readonly SqlValue[]): Row | undefined
  all(values: readonly SqlValue[]): readonly Row[]
}

/** An open database. */
export interface Connection {
  prepare(sql: string): Statement
  exec(sql: string): void
  close(): void
}

type Driver = new (path: string, options: { readonly timeout: number }) => Connection

/** Opens a database, which is made when it is missing. It never waits for others. @throws HexagonError E1321 */
export async function openConnection(path: string): Promise<Connection> {
  const Database = await loadDriver()
  return new Database(path, { timeout: 0 })
}

async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = await import('libsql')
    return driver as unknown as Driver
  } catch (error) {
    throw new HexagonError(
      'E1321',
      'A SQLite store needs the package libsql, which cannot be loaded',
      {
        hint: 'npm install libsql',
        cause: error,
      },
    )
  }
}
