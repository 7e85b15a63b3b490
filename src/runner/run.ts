import type { RunResult } from '../core/command.ts'
import type { RunEvent } from '../core/event.ts'
import { EventStream } from './event-stream.ts'

/** A run on its way: read its events, or only await its result. Nobody has to read. */
export interface Run<Output = unknown> extends AsyncIterable<RunEvent> {
  readonly threadId: string
  /** Rejects only when nothing ran (a refusal) or nothing could be saved. */
  readonly result: Promise<RunResult<Output>>
  /**
   * Asks the run to stop: after the running tasks, or at once; what is abandoned runs again from its stored input.
   * The thread stays suspended and can go on.
   */
  cancel(mode?: 'graceful' | 'immediate', reason?: string, options?: CancelOptions): void
}

/** How a run is asked to stop. */
export interface CancelOptions {
  /** Milliseconds that running tasks may take to finish; then they are abandoned. */
  readonly patience?: number
}

type Canceller = (mode: 'graceful' | 'immediate', reason: string) => void

/** The two ends of a run: the caller's, and the one that feeds it. */
export class RunHandle implements Run {
  readonly threadId: string
  readonly result: Promise<RunResult>
  readonly #events = new EventStream<RunEvent>()
  #cancel: Canceller | undefined
  #cancelled: [mode: 'graceful' | 'immediate', reason: string] | undefined
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor(threadId: string, execute: (handle: RunHandle) => Promise<RunResult>) {
    this.threadId = threadId
    this.result = execute(this).finally(() => this.#over())
    // The caller may only read events, or look at the result later.
    this.result.catch(() => undefined)
  }

  push(event: RunEvent): void {
    this.#events.push(event)
  }

  /** From here on cancel() reaches the run; a request that came before is passed on. */
  connect(cancel: Canceller): void {
    this.#cancel = cancel
    if (this.#cancelled !== undefined) cancel(...this.#cancelled)
  }

  cancel(
    mode: 'graceful' | 'immediate' = 'graceful',
    reason = 'cancelled',
    { patience }: CancelOptions = {},
  ): void {
    this.#cancelled = [mode, reason]
    this.#cancel?.(mode, reason)
    if (patience === undefined || mode === 'immediate') return
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.cancel('immediate', reason), patience)
  }

  #over(): void {
    clearTimeout(this.#patience)
    this.#events.close()
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.#events[Symbol.asyncIterator]()
  }
}
