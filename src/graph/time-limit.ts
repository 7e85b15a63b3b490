import { formatAddress } from '../core/address.ts'
import { HexagonError } from '../core/errors.ts'
import type { Frame } from '../runtime/frame.ts'

/** A task took longer than its `timeout`, not counting the time it waited for people. */
export class NodeTimeoutError extends HexagonError {
  constructor(where: string, ms: number) {
    super('E2116', `${where} took longer than its timeout of ${ms} ms`, { details: { ms } })
  }
}

/** The running time of one task: stands still while the task waits. */
export class TimeLimit {
  readonly #frame: Frame
  readonly #ms: number
  #left: number
  #started = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(frame: Frame, ms: number) {
    this.#frame = frame
    this.#ms = ms
    this.#left = ms
  }

  run(): void {
    this.#started = this.#frame.run.services.clock()
    this.#timer = setTimeout(() => {
      this.#frame.fail(new NodeTimeoutError(formatAddress(this.#frame.address), this.#ms))
    }, this.#left)
  }

  pause(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#left -= this.#frame.run.services.clock() - this.#started
  }
}
