import type { Write } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { checkUpdate, readTargets } from './node-result.ts'
import type { Records } from './records.ts'
import type { Task } from './task.ts'

/** What a caller's command changes it changes here: the root graph of a thread. */
export interface CommandTarget {
  readonly instance: Instance
  readonly records: Records
  /** Takes a task out that nobody goes on with. */
  readonly remove: (task: Task) => void
}

/** Folds in the caller's update, and plans the tasks its goto names instead of those that wait. */
export function applyCommand({ instance, records, remove }: CommandTarget): Task[] {
  const { run, host, definition, steps } = instance
  const { update, goto } = run.options
  if (host.gid !== '/') return []
  if (update !== undefined) {
    const write = updateWrite(instance, update)
    instance.state.fold([write])
    records.write(write)
  }
  if (goto === undefined) return []
  const targets = readTargets(goto, { definition, where: 'goto' })
  for (const task of instance.tasks.values()) {
    if (!run.questions.targets.has(instance.fullId(task))) remove(task)
  }
  return targets.map((target) => {
    const task = instance.plan(target, { step: steps + 1, origin: [] })
    records.task(task)
    return task
  })
}

// Behind every task of the superstep it comes after.
function updateWrite(instance: Instance, update: Readonly<Record<string, unknown>>): Write {
  const { steps, definition, run } = instance
  return {
    step: steps,
    order: [Number.MAX_SAFE_INTEGER],
    task: `${steps}+${run.version}`,
    node: 'update',
    updates: [checkUpdate(update, definition.channels, 'update')],
  }
}
