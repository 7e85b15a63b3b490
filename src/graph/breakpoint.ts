import type { Instance } from './instance.ts'
import { addressOf, type Stop, type Task } from './task.ts'

/** Where a graph stops without being asked by its code. */
export class Breakpoints {
  readonly #instance: Instance
  readonly #before: ReadonlySet<string>
  readonly #after: ReadonlySet<string>

  constructor(instance: Instance) {
    this.#instance = instance
    const { definition, run } = instance
    this.#before = new Set([...definition.breakBefore, ...(run.options.breakBefore ?? [])])
    this.#after = new Set([...definition.breakAfter, ...(run.options.breakAfter ?? [])])
  }

  get none(): boolean {
    return this.#before.size === 0 && this.#after.size === 0
  }

  /** True when the task has a stop there that it has not come to. */
  due(task: Task, when: Stop): boolean {
    const wanted = when === 'before' ? this.#before : this.#after
    return wanted.size > 0 && wanted.has(task.node) && !task.passed.includes(when)
  }

  /** Opens the stop of a task, once; false when it has none or has passed it. */
  stops(task: Task, when: Stop): boolean {
    if (!this.due(task, when)) return false
    task.passed = [...task.passed, when]
    const { run, host } = this.#instance
    run.questions.openBreakpoint({
      task: this.#instance.fullId(task),
      address: addressOf(host.base, task),
      message: `Stopped ${when} ${task.node}`,
      payload: { when, node: task.node },
    })
    return true
  }
}
