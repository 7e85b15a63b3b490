// A Stretch runs single tasks one after another, each of which leads straight to the next, where a task
// leaves nothing behind but its update: nobody watches, keeps or waits for it. It does what a round does
// with nothing to look after and without a promise between two tasks, and hands over where there is more.

import type { Outcome } from '../runtime/engine.ts'
import type { Straight } from './definition.ts'
import type { Instance } from './instance.ts'
import type { TaskEntry } from './task-entry.ts'
import type { Task } from './task.ts'

/** Where a stretch ends: at a task that has not begun, or at one that has come to rest. */
export interface StretchEnd {
  readonly task: Task
  readonly outcome: Outcome | undefined
}

/** What a stretch works on. */
export interface StretchParts {
  readonly instance: Instance
  readonly entry: TaskEntry
  /** False when the task must not begin. @throws StepLimitError */
  readonly mayBegin: (task: Task) => boolean
}

export class Stretch {
  readonly #parts: StretchParts
  readonly #settled = (outcome: Outcome): void => this.#goOn(outcome)
  #task: Task
  #way: Straight | undefined
  #resolve: (end: StretchEnd) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(parts: StretchParts, first: Task) {
    this.#parts = parts
    this.#task = first
  }

  /** Runs until a task has more to it than to lead to the next one. */
  run(): Promise<StretchEnd> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#begin()
    })
  }

  #begin(): void {
    const { instance, entry, mayBegin } = this.#parts
    try {
      for (;;) {
        const way = instance.definition.straight.get(this.#task.node)
        if (way === undefined || !mayBegin(this.#task)) return this.#end(undefined)
        this.#way = way
        const outcome = entry.begin(this.#task, way.node)
        if (outcome === undefined) return this.#task.frame?.whenSettled(this.#settled)
        if (!this.#pass(outcome)) return
      }
    } catch (error) {
      this.#reject(error)
    }
  }

  #goOn(outcome: Outcome): void {
    if (this.#pass(outcome)) this.#begin()
  }

  #end(outcome: Outcome | undefined): void {
    this.#resolve({ task: this.#task, outcome })
  }

  /** Goes over to the next task; false where the stretch ends. */
  #pass(outcome: Outcome): boolean {
    const next = this.#after(this.#task, outcome)
    if (next === undefined) this.#end(outcome)
    else this.#task = next
    return next !== undefined
  }

  #after(task: Task, outcome: Outcome): Task | undefined {
    const { instance } = this.#parts
    const { tasks, state, run } = instance
    if (outcome.kind !== 'finished' || tasks.size !== 1 || run.questions.submitting)
      return undefined
    const way = task.frame?.hosts === false ? this.#way : undefined
    if (way === undefined || !state.takeAlone(outcome.value)) return undefined
    tasks.delete(task.id)
    return instance.planPlain(way.to, task.step + 1)
  }
}
