import { foldAside } from './aside.ts'
import type { Instance } from './instance.ts'
import { readTargets } from './node-result.ts'
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
  const { run, host } = instance
  const { update, goto } = run.options
  if (host.gid !== '/' || (update === undefined && goto === undefined)) return []
  if (update !== undefined) {
    foldAside(instance, 'update', update)
    records.takeIn()
  }
  const planned = goto === undefined ? [] : jumpTo(goto, { instance, records, remove })
  // Whoever looks at the thread sees what the command made of it, also when nothing runs after it.
  records.beforeCommit(true)
  return planned
}

function jumpTo(goto: readonly string[], { instance, records, remove }: CommandTarget): Task[] {
  const { run, definition, steps } = instance
  const targets = readTargets(goto, { definition, where: 'goto' })
  for (const task of instance.tasks.values()) {
    if (!run.questions.targets.has(instance.fullId(task))) remove(task)
  }
  return targets.map((target) => {
    instance.joins.use(target.node)
    const task = instance.plan(target, { step: steps + 1, origin: [] })
    records.task(task)
    return task
  })
}
