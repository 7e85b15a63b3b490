import type { Claimant } from '../core/store.ts'
import type { GivenAnswer } from './change.ts'

/** A lease in memory. */
export interface HeldLease {
  readonly owner: string
  readonly holder: Claimant['holder']
  until: number
  /** Answers from outside the holder was not told of. */
  untold: GivenAnswer[]
}

/** When a lease ends, as ISO time; it may be longer than what a date can hold. */
export function untilText(ms: number): string {
  const last = 8_640_000_000_000_000
  return new Date(Math.min(ms, last)).toISOString()
}
