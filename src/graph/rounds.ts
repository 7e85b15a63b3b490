// Rounds runs the tasks of one graph instance, round after round: it folds what they wrote and finds what
// comes next.
//
// Invariants:
//   1. Tasks planned together are one round: none sees another's writes, and they are folded together.
//   2. A round's results are saved before what follows it starts.

import { StepLimitError } from '../core/errors.ts'
import type { Outcome } from '../runtime/engine.ts'
import type { Breakpoints } from './breakpoint.ts'
import type { Instance } from './instance.ts'
import type { Records } from './records.ts'
import { fireJoins, planNext } from './route.ts'
import type { Started } from './run-node.ts'
import type { Ended, Settlement } from './settlement.ts'
import type { TaskEntry } from './task-entry.ts'
import type { Task } from './task.ts'

/** What rounds work on. */
export interface RoundParts {
  readonly instance: Instance
  readonly records: Records
  readonly breakpoints: Breakpoints
  readonly settlement: Settlement
  readonly entry: TaskEntry
  /** True when nothing may begin any more. */
  readonly over: () => boolean
}

export class Rounds {
  readonly #parts: RoundParts

  constructor(parts: RoundParts) {
    this.#parts = parts
  }

  /** Runs `tasks` and what follows them, until nothing does. Awaits only what is not there at once. */
  async run(tasks: readonly Task[]): Promise<void> {
    const { settlement, instance } = this.#parts
    const { questions } = instance.run
    let next = tasks
    while (this.#mayBegin(next)) {
      const begun = this.#outcomes(next)
      const outcomes = begun instanceof Promise ? await begun : begun
      if (questions.submitting) await questions.settled().catch(() => undefined)
      if (questions.commandRefused) return
      const ended = settlement.fold(next, this.#told(next, outcomes))
      const routing = settlement.route(ended)
      if (routing !== undefined) await routing
      next = this.#advance(ended)
      const saved = this.#commit(next)
      if (saved !== undefined) await saved
    }
  }

  #mayBegin(tasks: readonly Task[]): boolean {
    if (tasks.length === 0 || this.#parts.over()) return false
    if (this.#parts.instance.run.stop !== undefined || this.#parts.settlement.failed) return false
    this.#expectSteps(tasks)
    return true
  }

  // From here to the commit nothing else runs: others never see a task gone and its successors not there.
  #advance(ended: readonly Ended[]): Task[] {
    const finished = this.#parts.settlement.advance(ended)
    const next = planNext(this.#parts.instance, finished)
    const fired = fireJoins(this.#parts.instance, finished)
    if (fired.length > 0) this.#parts.records.headChanged()
    next.push(...fired)
    for (const task of next) this.#parts.records.task(task)
    return next
  }

  #commit(next: readonly Task[]): Promise<void> | undefined {
    const { run } = this.#parts.instance
    this.#parts.records.beforeCommit(next.length === 0 || run.stop !== undefined)
    return run.journal.durable
      ? run.journal.flush(`superstep ${this.#parts.instance.steps}`)
      : undefined
  }

  #expectSteps(tasks: readonly Task[]): void {
    const { run, definition } = this.#parts.instance
    const limit = run.options.maxSteps ?? definition.recursionLimit
    if (this.#parts.instance.steps > limit)
      throw new StepLimitError(
        limit,
        tasks.map(({ node }) => node),
      )
  }

  /** How the tasks of a round ended: one outcome for a single task. */
  #outcomes(tasks: readonly Task[]): Started | Promise<Outcome[]> {
    const [only] = tasks
    if (only !== undefined && tasks.length === 1) return this.#outcome(only)
    return Promise.all(
      tasks.map(async (task) => this.#parts.entry.ended(task, await this.#outcome(task))),
    )
  }

  #told(tasks: readonly Task[], outcomes: Outcome | readonly Outcome[]): readonly Outcome[] {
    if (isList(outcomes)) return outcomes
    return tasks.map((task) => this.#parts.entry.ended(task, outcomes))
  }

  #outcome(task: Task): Started {
    if (task.phase === 'route') return { kind: 'finished', value: undefined }
    if (this.#parts.breakpoints.stops(task, 'before')) return { kind: 'parked' }
    return this.#parts.entry.outcome(task)
  }
}

function isList(outcomes: Outcome | readonly Outcome[]): outcomes is readonly Outcome[] {
  return Array.isArray(outcomes)
}
