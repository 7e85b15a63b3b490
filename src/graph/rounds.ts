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
import type { Ended, Settlement } from './settlement.ts'
import { Stretch } from './stretch.ts'
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

interface Come {
  readonly tasks: readonly Task[]
  readonly outcomes: readonly Outcome[] | undefined
}

export class Rounds {
  readonly #parts: RoundParts
  readonly #limit: number
  /** True when what a task leaves behind is nothing but its update: nobody watches, keeps or waits for it. */
  readonly #isBare: boolean

  constructor(parts: RoundParts) {
    this.#parts = parts
    const { run, definition, joins } = parts.instance
    this.#limit = run.options.maxSteps ?? definition.recursionLimit
    const isLimited = (definition.maxConcurrency ?? run.options.maxConcurrency) !== undefined
    const isSeen = run.listening || run.journal.durable || !parts.settlement.passesNothing
    this.#isBare = !isLimited && !isSeen && joins.none && parts.breakpoints.none
  }

  /** Runs `tasks` and what follows them, until nothing does. Awaits only what is not there at once. */
  async run(tasks: readonly Task[]): Promise<void> {
    const { questions } = this.#parts.instance.run
    let next = tasks
    while (this.#mayBegin(next)) {
      const { tasks: come, outcomes } = await this.#come(next)
      if (questions.submitting) await questions.settled().catch(() => undefined)
      if (questions.commandRefused) return
      const after = outcomes === undefined ? come : this.#settle(come, outcomes)
      next = after instanceof Promise ? await after : after
    }
  }

  /** The round that has to be settled next, with its outcomes; without them where it has not begun. */
  async #come(tasks: readonly Task[]): Promise<Come> {
    const [only] = tasks
    const { entry } = this.#parts
    if (only === undefined || tasks.length > 1) {
      const each = tasks.map(async (task) => entry.ended(task, await this.#outcome(task)))
      return { tasks, outcomes: await Promise.all(each) }
    }
    if (this.#isBare && this.#isStraight(only)) return this.#stretch(only)
    const outcome = this.#outcome(only)
    return {
      tasks,
      outcomes: [entry.ended(only, outcome instanceof Promise ? await outcome : outcome)],
    }
  }

  async #stretch(first: Task): Promise<Come> {
    const { instance, entry } = this.#parts
    const mayBegin = (task: Task): boolean => this.#mayBeginOne(task)
    const { task, outcome } = await new Stretch({ instance, entry, mayBegin }, first).run()
    return { tasks: [task], outcomes: outcome === undefined ? undefined : [outcome] }
  }

  /** Takes in how the tasks of a round ended; gives the next round, saved. */
  #settle(tasks: readonly Task[], outcomes: readonly Outcome[]): Task[] | Promise<Task[]> {
    const { settlement } = this.#parts
    const ended = settlement.fold(tasks, outcomes)
    const routing = settlement.route(ended)
    return routing === undefined ? this.#leave(ended) : routing.then(() => this.#leave(ended))
  }

  #leave(ended: readonly Ended[]): Task[] | Promise<Task[]> {
    const { run, steps } = this.#parts.instance
    const next = this.#advance(ended)
    this.#parts.records.beforeCommit(next.length === 0 || run.stop !== undefined)
    if (!run.journal.durable) return next
    const label = `superstep ${steps}`
    const saved = this.#isFollowed(next) ? run.journal.flush(label) : run.journal.flushSoon(label)
    return saved === undefined ? next : saved.then(() => next)
  }

  /**
   * True when something begins that must not begin before it is saved what came before: the next round, or
   * the code that invoked this graph. A graph around saves for itself before it goes on, and so does the run.
   */
  #isFollowed(next: readonly Task[]): boolean {
    const { tasks, host } = this.#parts.instance
    return next.length > 0 || (tasks.size === 0 && host.depth > 0)
  }

  #isStraight(task: Task): boolean {
    const { instance, entry } = this.#parts
    return (
      task.phase === 'run' && instance.definition.straight.has(task.node) && !entry.isAwaited(task)
    )
  }

  #mayBegin(tasks: readonly Task[]): boolean {
    const [first] = tasks
    if (first === undefined) return false
    if (tasks.length === 1 || this.#parts.instance.steps <= this.#limit)
      return this.#mayBeginOne(first)
    throw new StepLimitError(
      this.#limit,
      tasks.map(({ node }) => node),
    )
  }

  #mayBeginOne({ node }: Task): boolean {
    const { instance, settlement, over } = this.#parts
    if (over() || settlement.failed || instance.run.stop !== undefined) return false
    if (instance.steps > this.#limit) throw new StepLimitError(this.#limit, [node])
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

  #outcome(task: Task): Outcome | Promise<Outcome> {
    if (task.phase === 'route') return { kind: 'finished', value: undefined }
    if (this.#parts.breakpoints.stops(task, 'before')) return { kind: 'parked' }
    return this.#parts.entry.outcome(task)
  }
}
