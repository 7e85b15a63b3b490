// A DeadlineTimer tells when the next of the questions it watches is due.

import type { Clock } from '../core/clock.ts'

/** Longer than this no timer of the platform can wait: it looks again then. */
const LONGEST_MS = 2 ** 31 - 1

export class DeadlineTimer {
  readonly #clock: Clock
  readonly #onDue: (ids: readonly string[]) => void
  readonly #deadlines = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  /** `onDue` gets what is due; it is told once, unless it is watched again. */
  constructor(clock: Clock, onDue: (ids: readonly string[]) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  watch(id: string, expiresAt: string | undefined): void {
    if (expiresAt === undefined) this.forget(id)
    else {
      this.#deadlines.set(id, Date.parse(expiresAt))
      this.#arm()
    }
  }

  forget(id: string): void {
    if (this.#deadlines.delete(id)) this.#arm()
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#stopped || this.#deadlines.size === 0) return
    const wait = Math.min(...this.#deadlines.values()) - this.#clock()
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(wait, 1), LONGEST_MS))
  }

  #look(): void {
    const now = this.#clock()
    const due = [...this.#deadlines].filter(([, at]) => at <= now).map(([id]) => id)
    for (const id of due) this.#deadlines.delete(id)
    this.#arm()
    if (due.length > 0) this.#onDue(due)
  }
}
