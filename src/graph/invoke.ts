import type { InterruptHandler } from '../core/command.ts'
import { CancelledError, NoStoreError } from '../core/errors.ts'
import { localRun } from '../runtime/local-run.ts'
import type { Runnable } from '../runtime/runnable.ts'

/** What `invoke` may be told. */
export interface InvokeOptions {
  /** Answers in place; without it a graph that has no store may not wait for a person. */
  readonly onInterrupt?: InterruptHandler
  readonly maxSteps?: number
  readonly signal?: AbortSignal
}

/** Runs a flow on its own, in memory; gives its output or throws what failed. */
export async function invokeAlone(
  flow: Runnable,
  input: unknown,
  options: InvokeOptions,
): Promise<unknown> {
  const run = localRun({ maxSteps: options.maxSteps, handler: options.onInterrupt })
  const stop = (): void => run.cancel('immediate', 'the caller aborted')
  options.signal?.addEventListener('abort', stop, { once: true })
  const { root, body } = flow.start(run, input)
  const outcome = await run.drive(root, body)
  options.signal?.removeEventListener('abort', stop)
  if (outcome.kind === 'finished') return outcome.value
  await run.unwind()
  if (outcome.kind === 'failed') throw outcome.error
  if (run.asker.failure !== undefined) throw run.asker.failure.error
  if (run.stop !== undefined) throw new CancelledError(run.stop.reason)
  const open = run.questions.open().map(({ message }) => `"${message}"`)
  throw new NoStoreError(
    `Flow "${flow.name}" waits for ${open.join(', ') || 'a person'} and nobody answered: going on later`,
  )
}
