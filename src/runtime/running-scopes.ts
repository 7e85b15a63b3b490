// The components of one entry of a task that have begun and not ended. When the task's body ends by a
// question, what runs beside it may still come to an end, or to a question of its own.

import { placesAround } from './place.ts'

/** How long components may run on that are not known to be in a step, a tool or a wait. */
const GRACE_MS = 1000

export class RunningScopes {
  readonly #places = new Set<string>()
  #stir: (() => void) | undefined

  add(place: string): void {
    this.#places.add(place)
  }

  delete(place: string): void {
    this.#places.delete(place)
    this.stir()
  }

  /** Something has changed: whoever waits looks again. */
  stir(): void {
    this.#stir?.()
  }

  /** True when some component neither waits nor has one inside it that runs. */
  goOn(waiting: Iterable<string>): boolean {
    const around = new Set([...this.#places, ...waiting].flatMap(placesAround))
    return [...this.#places].some((place) => !around.has(place))
  }

  /** Waits while `goesOn`: without limit while it says so for certain, else for a moment. */
  async drained(goesOn: () => 'surely' | 'maybe' | 'no'): Promise<void> {
    let left = GRACE_MS
    for (;;) {
      await turn()
      const state = goesOn()
      if (state === 'no' || (state === 'maybe' && left <= 0)) return
      left = await this.#next(state === 'maybe' ? left : undefined)
    }
  }

  /** Waits for a change, for `ms` at most; gives the time that is left. */
  #next(ms: number | undefined): Promise<number> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => resolve(0), ms)
      this.#stir = (): void => {
        clearTimeout(timer)
        resolve(ms ?? GRACE_MS)
      }
    })
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
