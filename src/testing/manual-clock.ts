import type { Clock } from '../core/clock.ts'

/** A clock that stands still until it is moved. */
export interface ManualClock {
  /** For `new Runner({ services: { clock } })`. */
  readonly clock: Clock
  /** Moves it on by so many milliseconds. */
  advance(ms: number): void
}

/** A clock for tests of deadlines: starts at `start`, in milliseconds since 1970. */
export function manualClock(start = 0): ManualClock {
  let now = start
  return {
    clock: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}
