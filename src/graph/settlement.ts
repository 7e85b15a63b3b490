// A Settlement takes in how tasks ended: what they wrote goes into the state, and they make room for
// what follows.
//
// Invariant: a finished task goes, its writes are recorded and its joins are told in one act, so that
// nobody ever sees a task gone and its successors not there.

import { isHexagonError, NodeError } from '../core/errors.ts'
import type { Outcome } from '../runtime/engine.ts'
import type { Breakpoints } from './breakpoint.ts'
import type { Write } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { readResult } from './node-result.ts'
import type { Records } from './records.ts'
import { routesOf } from './route.ts'
import { SubgraphResult } from './subgraph.ts'
import { addressOf, type Target, type Task } from './task.ts'

/** A task whose node has finished: what it wrote, and where it leads. */
export interface Ended {
  readonly task: Task
  readonly write?: Write
  targets?: readonly Target[]
  failure?: { readonly error: unknown }
}

/** A task that is gone, with what follows it. */
export interface Finished {
  readonly task: Task
  readonly targets: readonly Target[]
}

/** What a settlement works on. */
export interface SettlementParts {
  readonly instance: Instance
  readonly records: Records
  readonly breakpoints: Breakpoints
  /** Keys whose updates the graph around folds one by one. */
  readonly passOn: readonly string[]
  /** Graphs that ran inside a task go with it. */
  readonly dropInside: (task: Task) => void
}

export class Settlement {
  readonly #parts: SettlementParts
  readonly #passOn: ReadonlySet<string>
  /** True once a task failed: nothing new starts. */
  failed = false

  constructor(parts: SettlementParts) {
    this.#parts = parts
    this.#passOn = new Set(parts.passOn)
  }

  /** Folds what the tasks wrote; gives those whose writes are in the state now. */
  fold(tasks: readonly Task[], outcomes: readonly Outcome[]): Ended[] {
    const ended = tasks.flatMap((task, index) => this.#takeIn(task, outcomes[index]))
    return this.#foldWrites(ended) ? ended : ended.filter(({ task }) => task.failed !== true)
  }

  #takeIn(task: Task, outcome: Outcome | undefined): Ended[] {
    if (outcome === undefined || !this.#parts.instance.tasks.has(task.id)) return []
    switch (outcome.kind) {
      case 'parked':
        this.#park(task)
        return []
      case 'failed':
        this.fail(task, outcome.error)
        return []
      case 'abandoned':
        return []
      case 'finished':
        return task.phase === 'run' ? this.#read(task, outcome.value) : [{ task }]
    }
  }

  #park(task: Task): void {
    if (task.frame !== undefined) this.#parts.records.keepView(task)
    // It may have failed before it came to ask.
    this.#parts.records.task(task)
  }

  #read(task: Task, value: unknown): Ended[] {
    const { host, definition } = this.#parts.instance
    try {
      const at = { step: task.step, order: task.order, task: task.id, node: task.node }
      if (value instanceof SubgraphResult) {
        return [{ task, write: { ...at, updates: [value.update], folds: value.folds } }]
      }
      const { updates, jumps } = readResult(value, definition, addressOf(host.base, task))
      task.jumps = jumps
      return [{ task, write: { ...at, updates } }]
    } catch (error) {
      this.fail(task, error)
      return []
    }
  }

  #foldWrites(ended: readonly Ended[]): boolean {
    try {
      const writes = ended.flatMap(({ write }) => (write === undefined ? [] : [write]))
      this.#parts.instance.state.fold(writes)
      return true
    } catch (error) {
      // Nothing of this round is in the state: its tasks failed together.
      for (const { task, write } of ended) if (write !== undefined) this.fail(task, error)
      return false
    }
  }

  /** Keeps a task with its error. */
  fail(task: Task, error: unknown): void {
    const { instance, records } = this.#parts
    const address = addressOf(instance.host.base, task)
    task.failed = true
    task.error = isHexagonError(error) ? error : new NodeError(address, error)
    records.keepView(task)
    records.task(task)
    this.failed = true
  }

  /** Finds where finished tasks lead; a router that throws fails its task. One that stops after its node is not asked. */
  async route(ended: readonly Ended[]): Promise<void> {
    for (const one of ended) {
      if (this.#parts.breakpoints.due(one.task, 'after')) continue
      try {
        const targets = routesOf(this.#parts.instance, one.task)
        one.targets = targets instanceof Promise ? await targets : targets
      } catch (error) {
        one.failure = { error }
      }
    }
  }

  /** Takes the finished tasks out; one whose router threw, or that stops after its node, stays. */
  advance(ended: readonly Ended[]): Finished[] {
    return ended.flatMap((one) => {
      if (one.write !== undefined) this.#record(one.write)
      one.task.phase = 'route'
      return this.#leave(one)
    })
  }

  #record(write: Write): void {
    this.#parts.records.write(write)
    if (this.#passOn.size === 0) return
    const { step, order, updates, folds } = write
    const single = updates.flatMap((update) => Object.entries(update))
    const listed = Object.entries(folds ?? {}).flatMap(([key, list]) =>
      list.map((update) => [key, update] as const),
    )
    for (const [key, update] of [...single, ...listed]) {
      if (!this.#passOn.has(key)) continue
      this.#parts.instance.passedOn.push({ step, order, key, update })
      this.#parts.records.headChanged()
    }
  }

  #leave({ task, targets, failure }: Ended): Finished[] {
    const { breakpoints, records } = this.#parts
    if (failure !== undefined) this.fail(task, failure.error)
    else if (breakpoints.stops(task, 'after')) records.task(task)
    else if (targets !== undefined) {
      this.remove(task)
      if (this.#parts.instance.joins.deliver(task.node, task.step)) records.headChanged()
      return [{ task, targets }]
    }
    return []
  }

  /** Everything of a task goes. */
  remove(task: Task): void {
    const { instance, records, dropInside } = this.#parts
    instance.tasks.delete(task.id)
    // What it asked and nobody will come back to.
    instance.run.questions.cancelIn(instance.fullId(task))
    dropInside(task)
    records.drop(task)
  }
}
