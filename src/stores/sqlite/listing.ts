import type {
  Page,
  PendingQuery,
  PendingThread,
  ThreadHead,
  ThreadQuery,
} from '../../core/store.ts'
import { headOf } from '../thread-state.ts'
import type { Sql } from './database.ts'
import type { SqlValue } from './driver.ts'
import { leaseShown } from './lease.ts'
import { readOpenQuestions } from './question-rows.ts'
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
  const { items, ...page } = listRows(sql, query, { conditions, values })
  const pending = items.map(({ state, lease }) => ({
    head: headOf(state, leaseShown(lease, now)),
    open: readOpenQuestions(sql, state.id),
    answered: state.answered,
  }))
  return { items: pending, ...page }
}

/** Threads in order of their ids. */
export function listHeads(sql: Sql, query: ThreadQuery, now: number): Page<ThreadHead> {
  const { status } = query
  const marks = (status ?? []).map(() => '?').join(', ')
  const conditions = status === undefined ? [] : [`status in (${marks})`]
  const { items, ...page } = listRows(sql, query, { conditions, values: status ?? [] })
  const heads = items.map(({ state, lease }) => headOf(state, leaseShown(lease, now)))
  return { items: heads, ...page }
}

function listRows(
  sql: Sql,
  query: { readonly after?: string; readonly limit?: number; readonly flow?: string },
  where: { readonly conditions: readonly string[]; readonly values: readonly SqlValue[] },
): Page<ThreadRow> {
  const { after, limit = DEFAULT_LIMIT, flow } = query
  const conditions = [...where.conditions]
  const values = [...where.values]
  if (after !== undefined) {
    conditions.push('id > ?')
    values.push(toStored(after))
  }
  if (flow !== undefined) {
    conditions.push('flow = ?')
    values.push(toStored(flow))
  }
  const filter = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
  // One more than asked for tells whether there is a next page.
  const rows = sql.all(`select * from thread ${filter} order by id limit ?`, [...values, most + 1])
  const items = rows.slice(0, most).map(threadRowIn)
  const next = rows.length > most ? items.at(-1)?.state.id : undefined
  return { items, damaged: [], ...(next === undefined ? {} : { next }) }
}
