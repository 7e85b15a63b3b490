import { DamagedError } from '../../core/errors.ts'
import type { StoredStatus, WakeRule } from '../../core/store.ts'
import type { ThreadState } from '../thread-state.ts'
import { numberIn, optionalTextIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row, SqlValue } from './driver.ts'
import { leaseColumns, leaseIn, type StoredLease } from './lease.ts'
import { toStored } from './stored-text.ts'

/** A thread's own row: its state with none of its records, and the questions that were asked for. */
export interface ThreadRow {
  readonly state: ThreadState
  lease: StoredLease | undefined
  /** Number of the last change. */
  changes: number
}

const NUMBERS = ['version', 'fence', 'attempts', 'open', 'answered', 'events', 'changes']
const STATUSES: ReadonlySet<unknown> = new Set<StoredStatus>([
  'ready',
  'running',
  'suspended',
  'completed',
  'failed',
  'cancelled',
])
const COLUMNS = [
  'id',
  'flow',
  'created_at',
  'status',
  'version',
  'fence',
  'attempts',
  'wake',
  'updated_at',
  'meta',
  'run_after',
  'claimed_from',
  'open',
  'answered',
  'events',
  'changes',
  'lease',
  'lease_process',
  'lease_until',
  'runnable_at',
]
const INSERT = `insert into thread (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`
const CHANGING = COLUMNS.slice(3)
const UPDATE = `update thread set ${CHANGING.map((column) => `${column} = ?`).join(', ')} where id = ?`

/** Reads a thread's row; undefined when there is none. */
export function readThreadRow(sql: Sql, id: string): ThreadRow | undefined {
  const row = sql.get('select * from thread where id = ?', [toStored(id)])
  return row && threadRowIn(row, sql.path)
}

/** A thread's row as a list reads it. @throws DamagedError */
export function threadRowIn(row: Row, path: string): ThreadRow {
  const problem = problemIn(row)
  if (problem !== undefined) throw damagedThread(path, textIn(row, 'id'), problem)
  const state: ThreadState = {
    id: textIn(row, 'id'),
    flow: textIn(row, 'flow'),
    createdAt: textIn(row, 'created_at'),
    status: textIn(row, 'status') as StoredStatus,
    version: numberIn(row, 'version'),
    fence: numberIn(row, 'fence'),
    attempts: numberIn(row, 'attempts'),
    wake: textIn(row, 'wake') as WakeRule,
    updatedAt: textIn(row, 'updated_at'),
    meta: textIn(row, 'meta'),
    runAfter: optionalTextIn(row, 'run_after'),
    claimedFrom: optionalTextIn(row, 'claimed_from') as StoredStatus | undefined,
    records: new Map(),
    interrupts: new Map(),
    open: numberIn(row, 'open'),
    answered: numberIn(row, 'answered'),
    events: numberIn(row, 'events'),
    inbox: 0,
  }
  return { state, lease: leaseIn(row), changes: numberIn(row, 'changes') }
}

/** The error for a thread whose rows can't be read. */
export function damagedThread(path: string, id: string, problem: string): DamagedError {
  return new DamagedError(path, `thread ${JSON.stringify(id)}: ${problem}`)
}

/** What no version of hexagon writes. */
function problemIn(row: Row): string | undefined {
  const stray = NUMBERS.find((column) => !Number.isSafeInteger(row[column]))
  if (stray !== undefined) return `its ${stray} is no number`
  if (!STATUSES.has(row['status'])) return `its status is ${JSON.stringify(row['status'])}`
  const broken = ['lease', 'lease_process'].find((column) => !isJson(row[column]))
  return broken === undefined ? undefined : `its ${broken} is not JSON`
}

function isJson(value: unknown): boolean {
  if (value === null) return true
  try {
    return typeof value === 'string' && typeof JSON.parse(value) === 'object'
  } catch {
    return false
  }
}

/** Writes a new thread's row. */
export function insertThreadRow(sql: Sql, row: ThreadRow): void {
  const { id, flow, createdAt } = row.state
  sql.run(INSERT, [toStored(id), toStored(flow), createdAt, ...changing(row)])
}

/** Writes what may have changed of a thread's row. */
export function updateThreadRow(sql: Sql, row: ThreadRow): void {
  sql.run(UPDATE, [...changing(row), toStored(row.state.id)])
}

function changing(row: ThreadRow): SqlValue[] {
  const { state, lease, changes } = row
  return [
    state.status,
    state.version,
    state.fence,
    state.attempts,
    state.wake,
    state.updatedAt,
    toStored(state.meta),
    state.runAfter ?? null,
    state.claimedFrom ?? null,
    state.open,
    state.answered,
    state.events,
    changes,
    ...leaseColumns(lease),
    runnableAt(row),
  ]
}

/** When a worker may claim the thread; null while there is nothing to run. */
function runnableAt({ state, lease }: ThreadRow): number | null {
  const isFreeAt = lease?.until ?? 0
  if (state.status === 'running') return isFreeAt
  if (state.status !== 'ready') return null
  return Math.max(isFreeAt, state.runAfter === undefined ? 0 : Date.parse(state.runAfter))
}
