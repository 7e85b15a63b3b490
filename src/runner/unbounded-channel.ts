// An UnboundedChannel holds what was sent until somebody receives it.
//
// Invariants:
//   1. Values are received in the order they were sent, each by one receiver.
//   2. Sending never waits. After close() it is refused, and what is left can still be received.
//   3. A receiver that waits when the channel closes is told the end; nobody hangs.

import { HexagonError } from '../core/errors.ts'

type Receiver<T> = (received: IteratorResult<T, undefined>) => void

export class UnboundedChannel<T> implements AsyncIterable<T> {
  #queue: T[] = []
  #head = 0
  readonly #receivers: Receiver<T>[] = []
  #closed = false

  /** How many values wait to be received. */
  get size(): number {
    return this.#queue.length - this.#head
  }

  get closed(): boolean {
    return this.#closed
  }

  /** @throws HexagonError (E2137) after {@link close} */
  send(value: T): void {
    if (this.#closed)
      throw new HexagonError('E2137', 'The channel is closed', {
        hint: 'Send before close(), or use trySend().',
      })
    this.trySend(value)
  }

  /** {@link send} that tells whether the value was taken. */
  trySend(value: T): boolean {
    if (this.#closed) return false
    const receiver = this.#receivers.shift()
    if (receiver === undefined) this.#queue.push(value)
    else receiver({ done: false, value })
    return true
  }

  /** The next value, when there is one; `done` when the channel is closed and empty. */
  receive(): Promise<IteratorResult<T, undefined>> {
    if (this.size > 0) return Promise.resolve({ done: false, value: this.#take() })
    if (this.#closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#receivers.push(resolve)
    })
  }

  /** No more is sent; may be called again. */
  close(): void {
    this.#closed = true
    for (const receiver of this.#receivers.splice(0)) receiver({ done: true, value: undefined })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (let next = await this.receive(); next.done !== true; next = await this.receive())
      yield next.value
  }

  #take(): T {
    const value = this.#queue[this.#head] as T
    this.#queue[this.#head] = undefined as never
    this.#head += 1
    // Taken values are let go in bulk, so that receiving stays cheap however much is queued.
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return value
  }
}
