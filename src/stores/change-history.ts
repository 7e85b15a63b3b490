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

/** The state right after a version was made by one of the changes; undefined when none made it. */
export function foldUntil(
  changes: Iterable<Change>,
  version: number,
  base?: ThreadState,
): ThreadState | undefined {
  let state = base
  // What lies before the changes is no checkpoint of theirs, though its version be known.
  if (base !== undefined && version <= base.version) return undefined
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

/** Which change made the oldest of the newest `keep` checkpoints, and what is older. */
export interface Cut {
  /** Index of that change: those before it can go. */
  readonly index: number
  /** How many checkpoints go with them. */
  readonly removed: number
  /** The oldest version that is kept. */
  readonly oldest: number
}

/** Where a list of changes is cut to keep its newest checkpoints; the newest is always kept. */
export function cutOf(changes: readonly Change[], keep: number): Cut {
  const made = changes.flatMap((change, index) =>
    change.kind === 'create' || change.kind === 'commit' ? [index] : [],
  )
  const removed = Math.max(0, made.length - Math.max(1, Math.trunc(keep)))
  const index = made[removed] ?? 0
  const change = changes[index]
  return { index: removed === 0 ? 0 : index, removed, oldest: change ? versionAfter(change, 0) : 0 }
}
