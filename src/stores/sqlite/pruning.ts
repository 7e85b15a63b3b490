import type { Pruned } from '../../core/store.ts'
import { insertBase, readStateBefore } from './change-rows.ts'
import { numberIn } from './column.ts'
import type { Sql } from './database.ts'
import { toStored } from './stored-text.ts'
import type { ThreadRow } from './thread-rows.ts'

const CHECKPOINTS = `
select seq, version from change where thread = ? and version is not null order by seq`

/** Keeps the newest checkpoints of a thread; what it was before the oldest of them stays as one row. */
export function pruneChanges(sql: Sql, { state }: ThreadRow, keep: number): Pruned {
  const thread = toStored(state.id)
  const made = sql.all(CHECKPOINTS, [thread])
  const removed = Math.max(0, made.length - Math.max(1, Math.trunc(keep)))
  const oldest = made[removed]
  if (oldest === undefined) return { removed: 0, oldest: state.version }
  const kept = { removed, oldest: numberIn(oldest, 'version') }
  if (removed === 0) return kept
  const seq = numberIn(oldest, 'seq')
  const base = readStateBefore(sql, state.id, seq)
  sql.run('delete from change where thread = ? and seq < ?', [thread, seq])
  if (base !== undefined) insertBase(sql, base, seq - 1)
  return kept
}
