import { messageOf } from '../core/errors.ts'
import type { InterruptSignal } from './signal.ts'

/** Children failed, others beside them ask: the failure shows, and carries what is asked. */
export class CompositeError extends AggregateError {
  /** What the other children ask. */
  readonly signal: InterruptSignal | undefined

  constructor(ordinary: readonly unknown[], signal: InterruptSignal | undefined) {
    super(
      signal === undefined ? ordinary : [...ordinary, signal],
      ordinary.map(messageOf).join('; '),
      { cause: ordinary[0] },
    )
    this.name = 'CompositeError'
    this.signal = signal
  }
}
