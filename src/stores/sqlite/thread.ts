// One thread inside one transaction: read as far as an act needs it, changed by the same rules as in the other
// stores, written row by row.
//
// Invariants:
//   1. A change is inserted, carried out on the state, and written to the rows it touches, in one transaction.
//   2. The cost of a change is that of its parts: neither the records nor the history of the thread are read.

import {
  AlreadyAnsweredError,
  ThreadLockedError,
  UnknownInterruptError,
  UnknownThreadError,
} from '../../core/errors.ts'
import type { InterruptRow, StoredThread } from '../../core/store.ts'
import type { Change, CommitChange, CreateChange, GivenAnswer } from '../change.ts'
import { nearIds } from '../near-ids.ts'
import { applyChange, stateOf, storedOf } from '../thread-state.ts'
import { recordAnswers } from './audit.ts'
import { insertChange } from './change-rows.ts'
import { textIn } from './column.ts'
import type { Sql } from './database.ts'
import { isInForce, leaseShown, type StoredLease } from './lease.ts'
import { loadQuestions, readOpenQuestions, readQuestions, writeQuestions } from './question-rows.ts'
import { toStored } from './stored-text.ts'
import { insertThreadRow, readThreadRow, updateThreadRow, type ThreadRow } from './thread-rows.ts'

const PUT_RECORD = `
insert into record (thread, key, value) values (?, ?, ?)
on conflict (thread, key) do update set value = excluded.value`

/** Reads a thread that must be there. @throws UnknownThreadError */
export function knownThread(sql: Sql, id: string): ThreadRow {
  const row = readThreadRow(sql, id)
  if (row !== undefined) return row
  const ids = sql.all('select id from thread', []).map((other) => textIn(other, 'id'))
  throw new UnknownThreadError(id, nearIds(id, ids))
}

/** Everything of a thread, as the outside sees it. */
export function wholeThread(sql: Sql, { state, lease }: ThreadRow, now: number): StoredThread {
  const rows = sql.all('select key, value from record where thread = ? order by rowid', [
    toStored(state.id),
  ])
  for (const row of rows) state.records.set(textIn(row, 'key'), textIn(row, 'value'))
  for (const question of readQuestions(sql, state.id)) state.interrupts.set(question.id, question)
  return storedOf(state, leaseShown(lease, now))
}

/** Makes a thread of its first change. */
export function createThread(
  sql: Sql,
  change: CreateChange,
  lease: StoredLease | undefined,
): ThreadRow {
  const row: ThreadRow = { state: stateOf(change), lease, changes: 1 }
  insertThreadRow(sql, row)
  putRecords(sql, row, change.records)
  insertChange(sql, row, change)
  return row
}

/**
 * Makes a change by a plan that looks at the named questions only. The refusal of an answer lists what is open:
 * then that is read too.
 */
export function planWith<T>(
  sql: Sql,
  { state }: ThreadRow,
  { ids, plan }: { readonly ids: Iterable<string>; readonly plan: () => T },
): T {
  loadQuestions(sql, state, ids)
  try {
    return plan()
  } catch (error) {
    const isRefused =
      error instanceof AlreadyAnsweredError || error instanceof UnknownInterruptError
    if (!isRefused) throw error
    for (const question of readOpenQuestions(sql, state.id)) {
      state.interrupts.set(question.id, question)
    }
    return plan()
  }
}

/** Carries a change out and writes what it touches; the lease is written with it. */
export function writeChange(sql: Sql, row: ThreadRow, change: Exclude<Change, CreateChange>): void {
  const before: ReadonlyMap<string, InterruptRow> = new Map(row.state.interrupts)
  applyChange(row.state, change)
  row.changes++
  insertChange(sql, row, change)
  if (change.kind === 'commit') writeRecords(sql, row, change)
  const untold = change.kind === 'answer' && row.lease !== undefined
  writeQuestions(sql, row.state, { before, untold })
  updateThreadRow(sql, row)
  recordAnswers(sql, row.state, answersIn(change))
}

function answersIn(change: Change): readonly GivenAnswer[] {
  if (change.kind === 'answer') return change.answers
  return change.kind === 'commit' ? (change.answer ?? []) : []
}

/** Refuses what only may be done while nobody runs the thread. @throws ThreadLockedError */
export function assertFree({ state, lease }: ThreadRow, now: number): void {
  if (lease === undefined || !isInForce(lease, now)) return
  throw new ThreadLockedError(state.id, lease.holder)
}

/** Removes every row of a thread. */
export function removeThread(sql: Sql, id: string): void {
  sql.run('delete from change where thread = ?', [toStored(id)])
  removeRows(sql, id)
}

/** Removes what a thread is, and leaves its past. */
export function removeRows(sql: Sql, id: string): void {
  for (const table of ['record', 'question']) {
    sql.run(`delete from ${table} where thread = ?`, [toStored(id)])
  }
  sql.run('delete from thread where id = ?', [toStored(id)])
}

function writeRecords(sql: Sql, row: ThreadRow, { puts, deletes }: CommitChange): void {
  putRecords(sql, row, puts ?? [])
  for (const key of deletes ?? []) {
    const values = [toStored(row.state.id), toStored(key)]
    sql.run('delete from record where thread = ? and key = ?', values)
  }
}

/** Writes records of a thread, in their order. */
export function putRecords(
  sql: Sql,
  { state }: ThreadRow,
  puts: readonly (readonly [key: string, value: string])[],
): void {
  for (const [key, value] of puts) {
    sql.run(PUT_RECORD, [toStored(state.id), toStored(key), toStored(value)])
  }
}
