import type { CheckpointInfo, StoredEvent, StoredStatus } from '../../core/store.ts'
import type { Base } from '../archive.ts'
import { fold, foldUntil } from '../change-history.ts'
import type { Change } from '../change.ts'
import { documentOf, textOfDocument } from '../file/document-text.ts'
import type { ThreadState } from '../thread-state.ts'
import { changeIn, eventsIn } from './change-row.ts'
import { numberIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { toStored } from './stored-text.ts'
import type { ThreadRow } from './thread-rows.ts'

const INSERT = `
insert into change (thread, seq, version, at, status, label, body, events, event_bodies)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const EVENTS = `
select seq, version, events, event_bodies from change
where thread = ? and event_bodies is not null and events > ? order by events limit ?`
const HISTORY = `
select version, at, status, label from change
where thread = ? and version is not null and version < ? order by version desc limit ?`
const MADE = 'select seq from change where thread = ? and version = ?'
// Nothing before the last row that stands for others matters to what comes behind it.
const UNTIL = `
select seq, label, version, body, events from change where thread = ? and seq <= ? and seq >= coalesce(
  (select max(seq) from change
    where thread = ? and seq <= ? and version is null and label in ('base', 'gap')), 0)
order by seq`

/** What is in the label of the row that stands for pruned changes: it makes no version. */
const BASE = 'base'
/** The same where nobody knows any more what they led to. */
const GAP = 'gap'

/** What SQLite takes for no limit. */
const NO_LIMIT = -1

/** Adds a change that was carried out on the state; its number is the row's last. */
export function insertChange(sql: Sql, { state, changes }: ThreadRow, change: Change): void {
  const { events = [], ...rest } = 'events' in change ? change : { ...change, events: [] }
  const { version, status, label } = checkpointOf(change)
  sql.run(INSERT, [
    toStored(state.id),
    changes,
    version,
    change.at,
    status,
    label,
    JSON.stringify(rest),
    state.events,
    events.length === 0 ? null : JSON.stringify(events),
  ])
}

/** Events with numbers above `after`, oldest first. */
export function readEvents(
  sql: Sql,
  threadId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): StoredEvent[] {
  // Each of these changes has one event at least.
  const rows = sql.all(EVENTS, [toStored(threadId), after, limitOf(limit)])
  return rows
    .flatMap((row) => eventsOf(sql, row, threadId))
    .filter(({ seq }) => seq > after)
    .slice(0, limit)
}

/** Versions below `before`, newest first. */
export function readHistory(
  sql: Sql,
  threadId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): CheckpointInfo[] {
  const below = Math.min(before, Number.MAX_SAFE_INTEGER)
  const rows = sql.all(HISTORY, [toStored(threadId), below, limitOf(limit)])
  return rows.map((row) => ({
    version: numberIn(row, 'version'),
    at: textIn(row, 'at'),
    status: textIn(row, 'status') as StoredStatus,
    label: textIn(row, 'label'),
  }))
}

/** The state right after a version was made; undefined when it never was. */
export function readVersion(sql: Sql, threadId: string, version: number): ThreadState | undefined {
  const thread = toStored(threadId)
  const made = sql.get(MADE, [thread, version])
  if (made === undefined) return undefined
  const seq = numberIn(made, 'seq')
  const rows = sql.all(UNTIL, [thread, seq, thread, seq])
  return foldUntil(changesIn(sql, rows, threadId), version, baseIn(rows))
}

/** The state before a change; undefined before the first. */
export function readStateBefore(sql: Sql, threadId: string, seq: number): ThreadState | undefined {
  const thread = toStored(threadId)
  const rows = sql.all(UNTIL, [thread, seq - 1, thread, seq - 1])
  const last = rows.at(-1)
  const state = fold(changesIn(sql, rows, threadId), baseIn(rows))
  // The bodies of changes have no events: only their rows count them.
  return state && last && { ...state, events: numberIn(last, 'events') }
}

/** Puts a state in the place of the changes that led to it. */
export function insertBase(sql: Sql, state: ThreadState, seq: number): void {
  const body = textOfDocument({ state, through: seq })
  const { id, updatedAt, events } = state
  sql.run(INSERT, [toStored(id), seq, null, updatedAt, null, BASE, body, events, null])
}

/** Says that changes are missing before the next one, and that nobody knows what they led to. */
export function insertGap(
  sql: Sql,
  { id, updatedAt }: Pick<ThreadState, 'id' | 'updatedAt'>,
  { number, events, version }: Omit<Base, 'state'>,
): void {
  const body = String(version)
  sql.run(INSERT, [toStored(id), number, null, updatedAt, null, GAP, body, events, null])
}

/** True for a row that stands for changes which are not there any more. */
export function standsForOthers(row: Row): boolean {
  return row['version'] === null && (row['label'] === BASE || row['label'] === GAP)
}

/** The state such a row has, if it has one. */
export function stateIn(row: Row): ThreadState | undefined {
  return row['label'] === BASE ? documentOf('change', textIn(row, 'body')).state : undefined
}

function baseIn([row]: readonly Row[]): ThreadState | undefined {
  return row && standsForOthers(row) ? stateIn(row) : undefined
}

function* changesIn(sql: Sql, rows: readonly Row[], threadId: string): Generator<Change> {
  for (const row of rows) if (!standsForOthers(row)) yield changeIn(sql, row, threadId)
}

function eventsOf(sql: Sql, row: Row, threadId: string): StoredEvent[] {
  const bodies = eventsIn(sql, row, threadId)
  const first = numberIn(row, 'events') - bodies.length + 1
  const version = numberIn(row, 'version')
  return bodies.map((body, index) => ({ seq: first + index, version, body }))
}

function checkpointOf(change: Change): {
  readonly version: number | null
  readonly status: StoredStatus | null
  readonly label: string | null
} {
  if (change.kind === 'create') return { version: 1, status: change.status, label: 'start' }
  if (change.kind !== 'commit') return { version: null, status: null, label: null }
  return { version: change.version, status: change.status, label: toStored(change.label) }
}

function limitOf(limit: number): number {
  return Number.isFinite(limit) ? limit : NO_LIMIT
}
