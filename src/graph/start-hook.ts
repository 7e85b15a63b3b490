import { isHexagonError, NodeError } from '../core/errors.ts'
import { runInScope } from '../runtime/carrier.ts'
import { Scope } from '../runtime/scope.ts'
import { foldAside, passAside, type AsideTarget } from './aside.ts'
import { readable } from './graph-state.ts'
import type { Instance } from './instance.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Calls the start hook of a graph and folds in what it returns. Waiting tasks read that too when they are entered
 * again; it is kept only when the command that started this stretch is accepted.
 */
export async function callStartHook(
  target: AsideTarget & { readonly resumed: boolean },
): Promise<void> {
  const { instance, records, resumed } = target
  const given = await returnOf(instance, resumed)
  if (given === undefined || given === null) return
  const update = foldAside(instance, 'onStart', given as Values)
  for (const task of instance.tasks.values()) {
    if (task.view === undefined) continue
    const values = { ...task.view.values }
    for (const [key, value] of Object.entries(update))
      values[key] = instance.definition.channels.reduce(key, values[key], value)
    task.view = { ...task.view, values }
  }
  const keep = (): void => {
    passAside(target, update)
    records.takeIn()
  }
  if (instance.run.questions.submitting) instance.run.questions.whenTaken(keep)
  else keep()
}

async function returnOf({ host, state, definition }: Instance, resumed: boolean): Promise<unknown> {
  const scope = new Scope(host.frame, host.base, { unaskable: 'in a start hook' })
  const values = readable(state.current) as never
  try {
    return await runInScope(scope, () => definition.onStart?.(values, { resumed }))
  } catch (error) {
    throw isHexagonError(error) ? error : new NodeError(host.base, error)
  }
}
