import { formatAddress } from '../core/address.ts'
import { HexagonError } from '../core/errors.ts'
import type { TaskFrame, TaskScope } from './engine.ts'
import { invokedId } from './restored.ts'

/** A step took longer than its `timeout`. Whether what it does goes on elsewhere is not known. */
export class StepTimeoutError extends HexagonError {
  constructor(name: string, where: string, ms: number) {
    super('E2142', `${where}: step "${name}" took longer than its timeout of ${ms} ms`, {
      hint: 'Pass the signal that the step is given on to what it calls, so that it ends too.',
      details: { name, ms },
    })
  }
}

/** One try of a step that has a time limit. */
export interface LimitedTry {
  readonly name: string
  readonly ms: number
  /** The scope its body runs in. */
  readonly scope: TaskScope
}

/**
 * Runs `body` for at most so long; then its signal fires, what it still asks or remembers is refused, and
 * the step rejects with StepTimeoutError. A step that waits for a person gets its time anew.
 */
export function withinLimit<T>(
  { name, ms, scope }: LimitedTry,
  body: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const { frame } = scope
  const stop = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const look = (): void => {
      if (waitsInside(frame, scope.path)) {
        timer = setTimeout(look, ms)
        return
      }
      const where = formatAddress(frame.address) || 'the flow'
      const error = new StepTimeoutError(name, where, ms)
      // What the body goes on to call finds this scope closed.
      Object.assign(scope, { unaskable: 'in a step whose time is up' })
      stop.abort(error)
      reject(error)
    }
    let timer = setTimeout(look, ms)
    const outer = frame.signal
    const forget = (): void => clearTimeout(timer)
    const settle = (act: () => void): void => {
      forget()
      outer.removeEventListener('abort', forget)
      act()
    }
    outer.addEventListener('abort', forget, { once: true })
    const run = async (): Promise<T> => body(AbortSignal.any([outer, stop.signal]))
    run().then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}

/** True while something below this place waits for a person. */
function waitsInside(frame: TaskFrame, path: string): boolean {
  const inside = invokedId(frame.id, path)
  return frame.run.questions
    .saved()
    .some(({ task, path: at }) =>
      task === frame.id ? at.startsWith(path) : task.startsWith(inside),
    )
}
