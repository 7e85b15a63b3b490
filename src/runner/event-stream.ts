// An EventStream hands events from the run, which pushes, to whoever reads. It holds what nobody has read.
//
// Invariants:
//   1. Each reader gets the events in the order they went in, from where it began to read.
//   2. After close() a reader gets what is left and then the end, never a hang.
//   3. Nobody has to read: what is unread without a reader is dropped when the stream closes.

export class EventStream<Event> implements AsyncIterable<Event> {
  #unread: Event[] = []
  #wake: (() => void) | undefined
  #closed = false
  #left = false

  /** Ignored after {@link close}, and when the reader has left. */
  push(event: Event): void {
    if (this.#closed || this.#left) return
    this.#unread.push(event)
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    try {
      for (;;) {
        const events = this.#unread
        this.#unread = []
        yield* events
        if (this.#unread.length > 0) continue
        if (this.#closed) return
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      this.#left = true
      this.#unread = []
    }
  }
}
