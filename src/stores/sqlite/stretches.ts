// The changes of a thread as they are handed from store to store. Where some are missing in between, a row
// of its own says what the next ones go on from.

import { startOf, type Base, type Stretch } from '../archive.ts'
import type { Change } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import { changeIn } from './change-row.ts'
import { insertBase, insertChange, insertGap, standsForOthers, stateIn } from './change-rows.ts'
import { numberIn, textIn } from './column.ts'
import type { Sql } from './database.ts'
import type { Row } from './driver.ts'
import { toStored } from './stored-text.ts'
import { damagedThread } from './thread-rows.ts'

const ALL = `
select seq, version, label, body, events, event_bodies from change where thread = ? order by seq`

/** Every change of a thread. @throws DamagedError */
export function readStretches(sql: Sql, threadId: string): Stretch[] {
  const stretches: { base?: Stretch['base']; changes: Change[] }[] = []
  let next = 1
  for (const row of sql.all(ALL, [toStored(threadId)])) {
    const seq = numberIn(row, 'seq')
    const last = stretches.at(-1)
    if (standsForOthers(row)) stretches.push({ base: baseIn(row), changes: [] })
    else if (seq !== next) {
      throw damagedThread(sql.path, threadId, `a change is missing before number ${seq}`)
    } else if (last === undefined) stretches.push({ changes: [changeIn(sql, row, threadId)] })
    else last.changes.push(changeIn(sql, row, threadId))
    next = seq + 1
  }
  return stretches
}

/** Writes every change of a thread that has none. */
export function insertStretches(sql: Sql, state: ThreadState, stretches: readonly Stretch[]): void {
  for (const stretch of stretches) {
    let seq = startOf(stretch)
    let events = stretch.base?.events ?? 0
    if (stretch.base !== undefined) insertStart(sql, state, stretch.base)
    for (const change of stretch.changes) {
      seq++
      events += 'events' in change ? (change.events?.length ?? 0) : 0
      insertChange(sql, { state: { ...state, events }, changes: seq, lease: undefined }, change)
    }
  }
}

function baseIn(row: Row): Base {
  const state = stateIn(row)
  const base = { number: numberIn(row, 'seq'), events: numberIn(row, 'events') }
  if (state === undefined) return { ...base, version: Number(textIn(row, 'body')) }
  return { ...base, version: state.version, state }
}

function insertStart(sql: Sql, thread: ThreadState, base: Base): void {
  if (base.state === undefined) insertGap(sql, thread, base)
  else insertBase(sql, base.state, base.number)
}
