import type { Instance } from './instance.ts'
import type { Task } from './task.ts'

/** Which tasks of an earlier process go on. */
export interface GoingOn {
  /** Have an answer to take, or are entered to check one. */
  readonly targeted: readonly Task[]
  /** Wait for nobody: they were running, were never begun, or failed and are tried again. */
  readonly rest: readonly Task[]
  /** True when some are entered as soon as the answers on their way are taken. */
  readonly coming: boolean
}

/** Chooses among the tasks that a graph instance took over. */
export function goingOn(instance: Instance): GoingOn {
  const { run } = instance
  const { targets, coming } = run.questions
  const tasks = [...instance.tasks.values()].map((task) => ({ task, id: instance.fullId(task) }))
  const isFree = ({ task, id }: { task: Task; id: string }): boolean =>
    task.failed ? run.options.retryFailed === true : !run.questions.waitsIn(id)
  return {
    targeted: tasks.filter(({ id }) => targets.has(id)).map(({ task }) => task),
    rest: tasks
      .filter((one) => !targets.has(one.id) && !coming.has(one.id) && isFree(one))
      .map(({ task }) => task),
    coming: tasks.some(({ id }) => coming.has(id)),
  }
}

/** What runs when the task around was entered again: what failed, and what waits for nobody and is not on its way. */
export function startingOver(instance: Instance, woken: ReadonlySet<Task>): Task[] {
  const { questions } = instance.run
  return [...instance.tasks.values()].filter((task) => {
    if (woken.has(task) || task.frame?.status === 'live') return false
    return task.failed || !questions.waitsIn(instance.fullId(task))
  })
}
