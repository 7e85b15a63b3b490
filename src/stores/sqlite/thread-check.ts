// Looks at every row of a thread: whether it can be read, and whether it is what the changes have made.

import { DamagedError } from '../../core/errors.ts'
import { isSameState, startOf, type Stretch } from '../archive.ts'
import { fold } from '../change-history.ts'
import { cloneState, type ThreadState } from '../thread-state.ts'
import type { Sql } from './database.ts'
import { readStretches } from './stretches.ts'
import { readThreadRow, type ThreadRow } from './thread-rows.ts'
import { wholeThread } from './thread.ts'

/** What is wrong with a thread, in words; undefined when nothing is. */
export function problemOf(sql: Sql, threadId: string): string | undefined {
  try {
    const row = readThreadRow(sql, threadId)
    if (row === undefined) return undefined
    wholeThread(sql, row, Date.now())
    return mismatchOf(row, readStretches(sql, threadId))
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error
    return String(error.details['problem']).replace(`thread ${JSON.stringify(threadId)}: `, '')
  }
}

function mismatchOf(
  { state, changes }: ThreadRow,
  stretches: readonly Stretch[],
): string | undefined {
  const last = stretches.at(-1)
  const through = last === undefined ? 0 : startOf(last) + last.changes.length
  if (through !== changes) return `has ${changes} changes, ${through} are there`
  const made = madeBy(last)
  if (made === undefined || isSameState({ ...made, inbox: 0 }, state)) return undefined
  return 'is not what its changes have made of it'
}

/** Undefined behind a hole in its past. */
function madeBy(stretch: Stretch | undefined): ThreadState | undefined {
  const state = stretch?.base?.state
  return fold(stretch?.changes ?? [], state && cloneState(state))
}
