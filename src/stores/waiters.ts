/** Callers that sleep until something may have changed. */
export class Waiters {
  readonly #wake = new Set<() => void>()

  /** Resolves at the next {@link wake}, at the latest after `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wake.add(done)
    })
  }

  /** Ends every wait. */
  wake(): void {
    for (const done of this.#wake) done()
  }
}
