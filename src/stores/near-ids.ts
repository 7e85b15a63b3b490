import { nearest } from '../core/nearest.ts'

const LISTED = 5

/** Ids that may have been meant: those that begin alike, else one that was mistyped. */
export function nearIds(id: string, known: readonly string[]): string[] {
  const start = known.filter((other) => id !== '' && other.startsWith(id)).slice(0, LISTED)
  if (start.length > 0) return start
  const similar = nearest(id, known)
  return similar === undefined ? [] : [similar]
}
