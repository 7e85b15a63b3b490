import type { InterruptRow, StoredAnswer } from '../../core/store.ts'
import type { GivenAnswer } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import { numberIn, optionalTextIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { toStored } from './stored-text.ts'
import { damagedThread } from './thread-rows.ts'

const STATUSES: ReadonlySet<unknown> = new Set<InterruptRow['status']>([
  'open',
  'answered',
  'consumed',
  'cancelled',
  'expired',
])
const ALL = 'select * from question where thread = ? order by ordinal, rowid'
const OPEN = "select * from question where thread = ? and status = 'open' order by ordinal, rowid"
const UNTOLD = 'select * from question where thread = ? and untold = 1 order by rowid'
const ONE = 'select * from question where thread = ? and id = ?'

// A question that is asked again has no answer to be told of; one that is closed keeps what it had.
const PUT = `
insert into question (thread, id, ordinal, kind, status, expires_at, body, answer, untold)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (thread, id) do update set
  ordinal = excluded.ordinal, kind = excluded.kind, status = excluded.status,
  expires_at = excluded.expires_at, body = excluded.body, answer = excluded.answer,
  untold = case when excluded.status in ('open', 'answered') then excluded.untold else untold end`

/** Every question of a thread. */
export function readQuestions(sql: Sql, threadId: string): InterruptRow[] {
  return sql.all(ALL, [toStored(threadId)]).map((row) => questionIn(row, sql.path))
}

/** A thread's open questions, in order of their ordinals. */
export function readOpenQuestions(sql: Sql, threadId: string): InterruptRow[] {
  return sql.all(OPEN, [toStored(threadId)]).map((row) => questionIn(row, sql.path))
}

/** Puts the named questions into a state; those that aren't there stay missing. */
export function loadQuestions(sql: Sql, state: ThreadState, ids: Iterable<string>): void {
  const thread = toStored(state.id)
  for (const id of ids) {
    if (state.interrupts.has(id)) continue
    const row = sql.get(ONE, [thread, toStored(id)])
    if (row !== undefined) state.interrupts.set(id, questionIn(row, sql.path))
  }
}

/** Writes the questions that differ from what was read; `untold` for answers the holder doesn't know. */
export function writeQuestions(
  sql: Sql,
  state: ThreadState,
  options: { readonly before: ReadonlyMap<string, InterruptRow>; readonly untold: boolean },
): void {
  for (const [id, row] of state.interrupts) {
    if (options.before.get(id) === row) continue
    sql.run(PUT, [
      toStored(state.id),
      toStored(id),
      row.ordinal,
      toStored(row.kind),
      row.status,
      row.expiresAt === undefined ? null : toStored(row.expiresAt),
      toStored(row.body),
      row.answer === undefined ? null : JSON.stringify(row.answer),
      options.untold ? 1 : 0,
    ])
  }
}

/** Answers from outside that the holder was not told of. */
export function untoldAnswers(sql: Sql, threadId: string): GivenAnswer[] {
  const rows = sql.all(UNTOLD, [toStored(threadId)]).map((row) => questionIn(row, sql.path))
  return rows.flatMap(({ id, answer }) => (answer === undefined ? [] : [{ id, answer }]))
}

/** Notes that the holder was told of everything. */
export function markTold(sql: Sql, threadId: string): void {
  sql.run('update question set untold = 0 where thread = ? and untold = 1', [toStored(threadId)])
}

function questionIn(row: Row, path: string): InterruptRow {
  const problem = problemIn(row)
  if (problem !== undefined) {
    const question = `its question ${JSON.stringify(textIn(row, 'id'))} ${problem}`
    throw damagedThread(path, textIn(row, 'thread'), question)
  }
  const expiresAt = optionalTextIn(row, 'expires_at')
  const answer = optionalTextIn(row, 'answer')
  return {
    id: textIn(row, 'id'),
    ordinal: numberIn(row, 'ordinal'),
    kind: textIn(row, 'kind'),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    body: textIn(row, 'body'),
    status: textIn(row, 'status') as InterruptRow['status'],
    ...(answer === undefined ? {} : { answer: JSON.parse(answer) as StoredAnswer }),
  }
}

function problemIn(row: Row): string | undefined {
  if (!STATUSES.has(row['status'])) return `has the status ${JSON.stringify(row['status'])}`
  if (typeof row['ordinal'] !== 'number') return 'has no number'
  const answer = optionalTextIn(row, 'answer')
  return answer === undefined || isAnswer(answer) ? undefined : 'has an answer that cannot be read'
}

function isAnswer(text: string): boolean {
  try {
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    return ['value', 'source', 'by', 'at', 'requestId'].every(
      (member) => typeof answer?.[member] === 'string',
    )
  } catch {
    return false
  }
}
