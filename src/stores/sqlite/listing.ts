import { DamagedError, messageOf } from '../../core/errors.ts'
import type {
  Damage,
  Page,
  PendingQuery,
  PendingThread,
  ThreadHead,
  ThreadQuery,
} from '../../core/store.ts'
import { headOf } from '../thread-state.ts'
import { textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row, SqlValue } from './driver.ts'
import { leaseShown } from './lease.ts'
import { readOpenQuestions } from './question-rows.ts'
import { isCorrupt } from './sql-error.ts'
import { toStored } from './stored-text.ts'
import { threadRowIn, type ThreadRow } from './thread-rows.ts'

const DEFAULT_LIMIT = 100

/** Threads with open questions, by the index that has only those. */
export function listPending(sql: Sql, query: PendingQuery, now: number): Page<PendingThread> {
  const conditions = ["open > 0 and status not in ('completed', 'cancelled')"]
  const values: SqlValue[] = []
  if (query.threadId !== undefined) {
    conditions.push('id = ?')
    values.push(toStored(query.threadId))
  }
  return listRows(sql, query, {
    conditions,
    values,
    read: ({ state, lease }) => ({
      head: headOf(state, leaseShown(lease, now)),
      open: readOpenQuestions(sql, state.id),
      answered: state.answered,
    }),
  })
}

/** Threads in order of their ids. */
export function listHeads(sql: Sql, query: ThreadQuery, now: number): Page<ThreadHead> {
  const { status } = query
  const marks = (status ?? []).map(() => '?').join(', ')
  const conditions = status === undefined ? [] : [`status in (${marks})`]
  return listRows(sql, query, {
    conditions,
    values: status ?? [],
    read: ({ state, lease }) => headOf(state, leaseShown(lease, now)),
  })
}

interface Selection<T> {
  readonly conditions: readonly string[]
  readonly values: readonly SqlValue[]
  readonly read: (row: ThreadRow) => T
}

/** One page. A thread that can't be read is named beside the others, and stops nothing. */
function listRows<T>(
  sql: Sql,
  query: { readonly after?: string; readonly limit?: number; readonly flow?: string },
  { read, ...selection }: Selection<T>,
): Page<T> {
  const { after, limit = DEFAULT_LIMIT, flow } = query
  const conditions = [...selection.conditions]
  const values = [...selection.values]
  if (after !== undefined) {
    conditions.push('id > ?')
    values.push(toStored(after))
  }
  if (flow !== undefined) {
    conditions.push('flow = ?')
    values.push(toStored(flow))
  }
  const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
  // One more than asked for tells whether there is a next page.
  const found = foundRows(sql, { conditions, values }, most + 1)
  const rows = found.rows.slice(0, most)
  const items: T[] = []
  const damaged = [...found.damaged]
  for (const row of rows) {
    try {
      items.push(read(threadRowIn(row, sql.path)))
    } catch (error) {
      damaged.push(damageOf(sql.path, textIn(row, 'id'), error))
    }
  }
  const last = rows.at(-1)
  const isMore = found.rows.length > most && last !== undefined
  return { items, damaged, ...(isMore ? { next: textIn(last, 'id') } : {}) }
}

interface Found {
  readonly rows: readonly Row[]
  readonly damaged: readonly Damage[]
}

function foundRows(
  sql: Sql,
  { conditions, values }: Omit<Selection<never>, 'read'>,
  limit: number,
): Found {
  const filter = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  try {
    const rows = sql.all(`select * from thread ${filter} order by id limit ?`, [...values, limit])
    return { rows, damaged: [] }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return oneByOne(sql, { conditions, values }, limit)
  }
}

/** Where a page of the file is damaged: the ids are in an index, and each row is looked for by its own. */
function oneByOne(
  sql: Sql,
  { conditions, values }: Omit<Selection<never>, 'read'>,
  limit: number,
): Found {
  const rows: Row[] = []
  const damaged: Damage[] = []
  const one = `select * from thread where ${['id = ?', ...conditions].join(' and ')}`
  for (const found of sql.all('select id from thread order by id', [])) {
    const id = textIn(found, 'id')
    if (rows.length >= limit) break
    try {
      const row = sql.get(one, [toStored(id), ...values])
      if (row !== undefined) rows.push(row)
    } catch (error) {
      damaged.push(damageOf(sql.path, id, error))
    }
  }
  return { rows, damaged }
}

/** What a list says of a thread it can't read; other errors are thrown on. */
function damageOf(path: string, threadId: string, error: unknown): Damage {
  if (error instanceof DamagedError) {
    return { threadId, file: path, problem: String(error.details['problem']) }
  }
  if (!isCorrupt(error)) throw error
  return {
    threadId,
    file: path,
    problem: `thread ${JSON.stringify(threadId)}: ${messageOf(error)}`,
  }
}
