import type { CheckpointInfo, StoredEvent } from '../core/store.ts'
import type { Change, CreateChange } from './change.ts'
import { applyChange, stateOf, type ThreadState } from './thread-state.ts'

/** Where a list of changes begins: what was counted before its first one. */
export interface Position {
  /** Number of the last event. */
  readonly events: number
  readonly version: number
}

/** The beginning of a thread. */
export const ORIGIN: Position = { events: 0, version: 0 }

/** Events with numbers above `after`, oldest first. */
export function eventsOf(
  changes: Iterable<Change>,
  query: { readonly after: number; readonly limit: number; readonly from: Position },
): StoredEvent[] {
  const found: StoredEvent[] = []
  let { events: seq, version } = query.from
  for (const change of changes) {
    version = versionAfter(change, version)
    for (const body of bodiesOf(change)) {
      if (++seq <= query.after) continue
      if (found.length >= query.limit) return found
      found.push({ seq, version, body })
    }
  }
  return found
}

/** One entry for each version, oldest first. */
export function checkpointsOf(changes: Iterable<Change>): CheckpointInfo[] {
  const found: CheckpointInfo[] = []
  for (const change of changes) {
    const { at } = change
    if (change.kind === 'create') {
      found.push({ version: 1, at, status: change.status, label: 'start' })
    } else if (change.kind === 'commit') {
      found.push({ version: change.version, at, status: change.status, label: change.label })
    }
  }
  return found
}

/** Folds changes, on top of `base` when they don't begin with the creation. */
export function fold(changes: Iterable<Change>, base?: ThreadState): ThreadState | undefined {
  let state = base
  for (const change of changes) state = foldOne(state, change)
  return state
}

/** The state right after a version was made; undefined when the changes don't reach it. */
export function foldUntil(
  changes: Iterable<Change>,
  version: number,
  base?: ThreadState,
): ThreadState | undefined {
  let state = base
  if (state?.version === version) return state
  for (const change of changes) {
    state = foldOne(state, change)
    if (state?.version === version) return state
  }
  return undefined
}

function foldOne(state: ThreadState | undefined, change: Change): ThreadState | undefined {
  if (change.kind === 'create') return stateOf(change satisfies CreateChange)
  if (state !== undefined) applyChange(state, change)
  return state
}

function versionAfter(change: Change, version: number): number {
  if (change.kind === 'create') return 1
  return change.kind === 'commit' ? change.version : version
}

function bodiesOf(change: Change): readonly string[] {
  return change.kind === 'create' || change.kind === 'commit' ? (change.events ?? []) : []
}
