import { ThreadLockedError } from '../../core/errors.ts'
import type { Claimant, Claimed } from '../../core/store.ts'
import { livenessOf } from '../../system/process-identity.ts'
import { textIn } from './column.ts'
import type { Sql } from './database.ts'
import { isForeign, isInForce, leaseEnd, newLease, processIn } from './lease.ts'
import { markTold } from './question-rows.ts'
import { toStored } from './stored-text.ts'
import { readThreadRow, updateThreadRow, type ThreadRow } from './thread-rows.ts'
import { knownThread, wholeThread, writeChange } from './thread.ts'

const RUNNABLE = 'select id from thread where runnable_at <= ? order by runnable_at limit ?'
const HOLDERS = `
select distinct lease_process as process from thread
where lease_process is not null and runnable_at > ?`
const HELD = `
select id from thread where lease_process = ? and runnable_at > ?`

/** Who claims, and when. */
interface Claiming {
  readonly claimant: Claimant
  readonly now: number
}

/** Takes one thread, whatever it waits for. @throws UnknownThreadError, ThreadLockedError */
export function claimThread(sql: Sql, threadId: string, by: Claiming): Claimed {
  const row = knownThread(sql, threadId)
  const { lease } = row
  const isStolen = by.claimant.steal === true && lease !== undefined && isForeign(lease)
  if (lease !== undefined && isInForce(lease, by.now) && !isStolen) {
    throw new ThreadLockedError(threadId, lease.holder)
  }
  return take(sql, row, by)
}

/** True when `claimRunnable` may find something; looking keeps no writer waiting. */
export function hasRunnable(sql: Sql, now: number): boolean {
  return sql.all(RUNNABLE, [now, 1]).length > 0 || goneProcesses(sql, now).length > 0
}

/** Takes threads that are ready and due, or whose holder is gone, those first that wait the longest. */
export function claimRunnable(sql: Sql, limit: number, by: Claiming): Claimed[] {
  for (const process of goneProcesses(sql, by.now)) endLeases(sql, process, by.now)
  return sql
    .all(RUNNABLE, [by.now, limit])
    .map((found) => take(sql, knownThread(sql, textIn(found, 'id')), by))
}

/** Extends a lease; false when it isn't this claimant's any more. */
export function extendLease(
  sql: Sql,
  held: { readonly id: string; readonly fence: number },
  by: Claiming,
): boolean {
  const row = readThreadRow(sql, held.id)
  if (row?.lease === undefined || row.state.fence !== held.fence) return false
  if (row.lease.owner !== by.claimant.owner) return false
  row.lease = { ...row.lease, until: leaseEnd(by.now, by.claimant.leaseMs) }
  updateThreadRow(sql, row)
  return true
}

function take(sql: Sql, row: ThreadRow, { claimant, now }: Claiming): Claimed {
  const { owner, holder } = claimant
  const fence = row.state.fence + 1
  row.lease = newLease(claimant, now)
  writeChange(sql, row, { kind: 'claim', at: new Date(now).toISOString(), owner, holder, fence })
  // It is told of everything in what it is given.
  markTold(sql, row.state.id)
  return { ...wholeThread(sql, row, now), fence }
}

/** Processes of this host that held threads and are gone, in the form of their column. */
function goneProcesses(sql: Sql, now: number): string[] {
  return sql
    .all(HOLDERS, [now])
    .map((row) => textIn(row, 'process'))
    .filter((process) => livenessOf(processIn(process)) === 'gone')
}

/** What a process held that is gone is free at once; that somebody held it can still be seen. */
function endLeases(sql: Sql, process: string, now: number): void {
  for (const found of sql.all(HELD, [toStored(process), now])) {
    const row = knownThread(sql, textIn(found, 'id'))
    if (row.lease === undefined) continue
    row.lease = { ...row.lease, until: 0 }
    updateThreadRow(sql, row)
  }
}
