// A thread as everything that ever happened to it: the form in which one store hands a thread to another.
// A copy made of it has every version, event and time of the original.

import type { Position } from './change-history.ts'
import type { Change } from './change.ts'
import type { ThreadState } from './thread-state.ts'

/** What was before a stretch that doesn't begin with the creation. */
export interface Base extends Position {
  /** Number of the last change before. */
  readonly number: number
  /** Absent when it is kept no more: then the versions behind can be listed, not looked at. */
  readonly state?: ThreadState | undefined
}

/** Changes that follow each other without a gap. */
export interface Stretch {
  readonly base?: Base | undefined
  readonly changes: readonly Change[]
}

/** A thread with its past. */
export interface ThreadArchive {
  /** What it is now, with answers nobody has taken in yet. */
  readonly state: ThreadState
  /** Number of the last change. */
  readonly through: number
  /** Oldest first; one, unless something is missing in between. */
  readonly stretches: readonly Stretch[]
}

/** A store whose threads can be handed on as a whole. */
export interface Archive {
  /** @throws ThreadLockedError while somebody runs it, DamagedError, NewerFormatError */
  read(threadId: string): Promise<ThreadArchive | undefined>
  /** Makes the thread, whole or not at all; `same` when it is there already. @throws ThreadExistsError when another one is */
  write(thread: ThreadArchive): Promise<'written' | 'same'>
  close(): Promise<void>
}

/** True when two archives are of the same thread with the same past. */
export function isSameArchive(one: ThreadArchive, other: ThreadArchive): boolean {
  return textOf(one) === textOf(other)
}

/** True when two states differ in nothing. */
export function isSameState(one: ThreadState | undefined, other: ThreadState): boolean {
  return textOf(one) === textOf(other)
}

/** Number of the change before a stretch's first one. */
export function startOf({ base }: Stretch): number {
  return base?.number ?? 0
}

/** The same text whichever store has written the parts, in whatever order their members are. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    // Questions are read in order of their ordinals, wherever they lie.
    if (part instanceof Map) return key === 'interrupts' ? sortedById(part) : [...part]
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function sortedById(rows: ReadonlyMap<string, unknown>): readonly unknown[] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
