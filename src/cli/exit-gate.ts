// Nothing ends this process behind the command's back.
//
// A flow can end it early in two ways: by `process.exit()`, or by waiting for something that will never come,
// so that nothing is left to do. Both look like success to the shell.
//
// Invariants:
//   1. While guarded work is open, the process does not end with 0.
//   2. Work that can't go on is told so before the process ends, while there is still time to save.

import { HexagonError } from '../core/errors.ts'

/** What is going on, as the message says it: `node "ask" still waits for a promise`. */
export type Doing = () => string

/** Watches over work until it has settled. */
export interface ExitGate {
  /** Settles as `work` does; rejects with E1115 when nothing is left that could settle it. */
  guard<T>(work: Promise<T>, doing: Doing): Promise<T>
  /** Stops watching. */
  close(): void
}

interface Watch {
  readonly doing: Doing
  readonly fail: (error: HexagonError) => void
}

const INTERNAL = 70

/**
 * Watches the end of this process. `onExit` is told of a flow's own `process.exit()` (E1114): it can only
 * write synchronously, the process is about to end, with 70.
 */
export function openExitGate(onExit: (error: HexagonError) => void): ExitGate {
  const watches = new Set<Watch>()
  const before = Object.getOwnPropertyDescriptor(process, 'exit')
  const exit = process.exit.bind(process)
  let asked: { readonly code: string; readonly place: string | undefined } | undefined

  const onDrained = (): void => {
    for (const { doing, fail } of watches) fail(neverSettles(doing()))
  }
  const onEnd = (): void => {
    const [watch] = watches
    if (watch === undefined || asked === undefined) return
    process.exitCode = INTERNAL
    onExit(exited(asked, watch.doing()))
  }
  const exitNoted: typeof process.exit = (code) => {
    asked ??= { code: String(code ?? process.exitCode ?? 0), place: callerOf(exitNoted) }
    return exit(code)
  }
  process.exit = exitNoted
  process.on('beforeExit', onDrained)
  process.on('exit', onEnd)

  return {
    guard: (work, doing) => {
      const drained = new Promise<never>((_resolve, reject) => {
        const watch: Watch = { doing, fail: reject }
        const unwatch = (): boolean => watches.delete(watch)
        watches.add(watch)
        void work.then(unwatch, unwatch)
      })
      return Promise.race([work, drained])
    },
    close: () => {
      watches.clear()
      process.off('beforeExit', onDrained)
      process.off('exit', onEnd)
      const isOurs = process.exit === exitNoted
      if (isOurs && before !== undefined) Object.defineProperty(process, 'exit', before)
    },
  }
}

function neverSettles(doing: string): HexagonError {
  return new HexagonError('E1115', `The flow never finished: nothing left to do while ${doing}`, {
    hint: 'Something it awaits is never resolved, and no timer or connection is open that could do it.',
    details: { doing },
  })
}

function exited(
  { code, place }: { code: string; place: string | undefined },
  doing: string,
): HexagonError {
  const where = place === undefined ? '' : ` at ${place}`
  return new HexagonError(
    'E1114',
    `The flow called process.exit(${code})${where} before the run ended`,
    {
      hint: `Throw an error instead, or return. It was called while ${doing}.`,
      details: { code, place, doing },
    },
  )
}

/** The place that called a function, from the stack. */
function callerOf(called: (code?: never) => never): string | undefined {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, called)
  const [, place] = /\n\s+at (?:.*\()?(.+?:\d+:\d+)\)?/u.exec(holder.stack ?? '') ?? []
  return place?.replace(/^file:\/\//u, '')
}
