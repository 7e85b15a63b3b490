// While a prompt is on the screen, everything else that wants to be written waits here.
//
// Invariants:
//   1. What was held is written in order once every hold is released.
//   2. Nothing is dropped.

/** Holds back writing while a prompt is open. */
export class LogGate {
  #holds = 0
  #waiting: (() => void)[] = []

  /** True while at least one prompt is open. */
  get held(): boolean {
    return this.#holds > 0
  }

  /** Runs `write` now, or when the last hold is released. */
  pass(write: () => void): void {
    if (this.held) this.#waiting.push(write)
    else write()
  }

  hold(): void {
    this.#holds += 1
  }

  release(): void {
    this.#holds = Math.max(0, this.#holds - 1)
    if (this.held) return
    for (const write of this.#waiting.splice(0)) write()
  }
}
