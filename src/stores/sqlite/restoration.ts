// Puts a thread's rows right from its changes, inside one transaction. Where its changes are damaged but its rows
// are not, the rows stand, and its past has a hole.

import { DamagedError } from '../../core/errors.ts'
import { fold } from '../change-history.ts'
import type { Change, CommitChange } from '../change.ts'
import { isObject } from '../file/json-file.ts'
import { applyChange, type ThreadState } from '../thread-state.ts'
import { changeIn } from './change-row.ts'
import { insertBase, insertChange, insertGap, standsForOthers, stateIn } from './change-rows.ts'
import { numberIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { writeQuestions } from './question-rows.ts'
import { toStored } from './stored-text.ts'
import { insertThreadRow, readThreadRow, type ThreadRow } from './thread-rows.ts'
import { assertFree, putRecords, removeRows, wholeThread } from './thread.ts'

const CHANGES = `
select seq, version, label, body, events, event_bodies from change where thread = ? order by seq`

/** When, and where what was there before can be looked at. */
export interface Repairing {
  readonly now: number
  readonly kept: string
}

/** What of a thread's changes can be read in order. */
interface Salvage {
  readonly state: ThreadState | undefined
  /** Number of the last change that counts. */
  readonly through: number
  /** Number of the last change there is. */
  readonly last: number
  readonly lastVersion: number
}

/** Restores a thread that nobody runs; says to which version. @throws DamagedError when nothing good is left, ThreadLockedError */
export function restoreThread(sql: Sql, threadId: string, repairing: Repairing): string {
  const sound = soundRow(sql, threadId, repairing.now)
  const found = salvage(sql, threadId)
  if (sound !== undefined && sound.changes === found.last && found.through < found.last) {
    mendPast(sql, sound)
    return `kept version ${sound.state.version}; its past has a hole. A copy is ${repairing.kept}`
  }
  const { state, through, last } = found
  if (state === undefined) throw new DamagedError(sql.path, 'no good version of it is left')
  const { version } = state
  const isCut = through < last
  rewrite(sql, state, through)
  if (isCut) markRestored(sql, { state, through, ...repairing, lastVersion: found.lastVersion })
  const doubt = isCut ? '; what came after it is in doubt' : ', nothing is lost'
  return `restored to version ${version}${doubt}. A copy is ${repairing.kept}`
}

/** A thread as its rows have it; undefined when they can't be read. */
export function soundRow(sql: Sql, threadId: string, now: number): ThreadRow | undefined {
  try {
    const row = readThreadRow(sql, threadId)
    if (row === undefined) return undefined
    assertFree(row, now)
    wholeThread(sql, row, now)
    return row
  } catch (error) {
    if (error instanceof DamagedError) return undefined
    throw error
  }
}

function salvage(sql: Sql, threadId: string): Salvage {
  const rows = sql.all(CHANGES, [toStored(threadId)])
  const last = rows.at(-1)
  const good: Change[] = []
  let base: ThreadState | undefined
  let next = 1
  for (const row of rows) {
    const change = readable(sql, row, threadId)
    if (change === undefined || (change !== 'stands' && numberIn(row, 'seq') !== next)) break
    next = numberIn(row, 'seq') + 1
    if (change === 'stands') {
      base = stateIn(row)
      good.length = 0
    } else good.push(change)
  }
  return {
    state: fold(good, base),
    through: next - 1,
    last: last === undefined ? 0 : numberIn(last, 'seq'),
    lastVersion: Math.max(0, ...rows.map((row) => numberIn(row, 'version'))),
  }
}

function readable(sql: Sql, row: Row, threadId: string): Change | 'stands' | undefined {
  try {
    if (!standsForOthers(row)) return changeIn(sql, row, threadId)
    stateIn(row)
    return 'stands'
  } catch (error) {
    if (error instanceof DamagedError) return undefined
    throw error
  }
}

/** Each damaged or missing change becomes a hole; behind the last one stands what the thread is. */
function mendPast(sql: Sql, { state, changes }: ThreadRow): void {
  const thread = toStored(state.id)
  let next = 1
  for (const row of sql.all(CHANGES, [thread])) {
    const seq = numberIn(row, 'seq')
    const isDamaged = readable(sql, row, state.id) === undefined
    const number = isDamaged ? seq : seq - 1
    const { events, version } = state
    if (isDamaged) sql.run('delete from change where thread = ? and seq = ?', [thread, seq])
    if (isDamaged || (seq !== next && !standsForOthers(row))) {
      insertGap(sql, state, { number, events, version })
    }
    next = seq + 1
  }
  insertBase(sql, state, changes + 1)
  sql.run('update thread set changes = ? where id = ?', [changes + 1, thread])
}

/** Every row of the thread from its state; changes behind it go. */
function rewrite(sql: Sql, state: ThreadState, through: number): void {
  const thread = toStored(state.id)
  removeRows(sql, state.id)
  sql.run('delete from change where thread = ? and seq > ?', [thread, through])
  const row: ThreadRow = { state, lease: undefined, changes: through }
  insertThreadRow(sql, row)
  putRecords(sql, row, [...state.records])
  writeQuestions(sql, state, { before: new Map(), untold: false })
}

/** The commit that says in the thread itself that it was put back. */
function markRestored(
  sql: Sql,
  parts: Repairing & {
    readonly state: ThreadState
    readonly through: number
    readonly lastVersion: number
  },
): void {
  const { state, through, now, kept, lastVersion } = parts
  const at = new Date(now).toISOString()
  const meta: unknown = JSON.parse(state.meta)
  const inDoubt = { afterVersion: state.version, at, kept: [kept] }
  const mark: CommitChange = {
    kind: 'commit',
    at,
    // Above every version that was ever seen, so that none stands for two states.
    version: Math.max(lastVersion, state.version) + 1,
    status: state.status,
    label: 'restored',
    runAfter: state.runAfter,
    ...(isObject(meta) ? { meta: JSON.stringify({ ...meta, inDoubt }) } : {}),
  }
  applyChange(state, mark)
  rewrite(sql, state, through + 1)
  insertChange(sql, { state, lease: undefined, changes: through + 1 }, mark)
}
