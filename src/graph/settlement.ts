// A Settlement takes in how tasks ended: what they wrote goes into the state, and they make room for
// what follows.
//
// Invariant: a finished task goes, its writes are recorded and its joins are told in one act, so that
// nobody ever sees a task gone and its successors not there.

import { formatAddress } from '../core/address.ts'
import { isHexagonError, NodeError } from '../core/errors.ts'
import type { Outcome } from '../runtime/engine.ts'
import type { Breakpoints } from './breakpoint.ts'
import type { Write } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { readResult } from './node-result.ts'
import type { Records } from './records.ts'
import { routesOf } from './route.ts'
import { SubgraphResult } from './subgraph.ts'
import type { Target, Task } from './task.ts'

/** A task whose node has finished: what it wrote, and where it leads. */
export interface Ended {
  readonly task: Task
  readonly write: Write | undefined
  targets: readonly Target[] | undefined
  failure: { readonly error: unknown } | undefined
}

function endedBy(task: Task, write: Write | undefined): Ended {
  return { task, write, targets: undefined, failure: undefined }
}

async function routed(one: Ended, targets: Promise<readonly Target[]>): Promise<void> {
  try {
    one.targets = await targets
  } catch (error) {
    one.failure = { error }
  }
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

  /** True when nobody else is told what tasks write. */
  get passesNothing(): boolean {
    return this.#passOn.size === 0
  }

  /** Folds what the tasks wrote; gives those whose writes are in the state now. */
  fold(tasks: readonly Task[], outcomes: readonly Outcome[]): Ended[] {
    const ended: Ended[] = []
    const writes: Write[] = []
    let index = 0
    for (const task of tasks) {
      const one = this.#takeIn(task, outcomes[index])
      index += 1
      if (one === undefined) continue
      ended.push(one)
      if (one.write !== undefined) writes.push(one.write)
    }
    return this.#foldWrites(writes, ended) ? ended : ended.filter(({ task }) => !task.failed)
  }

  #takeIn(task: Task, outcome: Outcome | undefined): Ended | undefined {
    if (outcome === undefined || !this.#parts.instance.tasks.has(task.id)) return undefined
    switch (outcome.kind) {
      case 'parked':
        return this.#park(task)
      case 'failed':
        return this.fail(task, outcome.error)
      case 'abandoned':
        return undefined
      case 'finished':
        return task.phase === 'run' ? this.#read(task, outcome.value) : endedBy(task, undefined)
    }
  }

  #park(task: Task): undefined {
    if (task.frame !== undefined) this.#parts.records.keepView(task)
    // It may have failed before it came to ask.
    this.#parts.records.task(task)
  }

  #read(task: Task, value: unknown): Ended | undefined {
    const { instance } = this.#parts
    const { definition } = instance
    const { id, node, step, order } = task
    try {
      if (value instanceof SubgraphResult) {
        const { update, folds } = value
        return endedBy(task, { step, order, task: id, node, updates: [update], folds })
      }
      const { updates, jumps } = readResult(value, definition, () =>
        formatAddress(instance.addressOf(task)),
      )
      task.jumps = jumps
      return endedBy(task, { step, order, task: id, node, updates })
    } catch (error) {
      return this.fail(task, error)
    }
  }

  #foldWrites(writes: readonly Write[], ended: readonly Ended[]): boolean {
    try {
      this.#parts.instance.state.fold(writes)
      return true
    } catch (error) {
      // Nothing of this round is in the state: its tasks failed together.
      for (const { task, write } of ended) if (write !== undefined) this.fail(task, error)
      return false
    }
  }

  /** Keeps a task with its error. */
  fail(task: Task, error: unknown): undefined {
    const { instance, records } = this.#parts
    const address = instance.addressOf(task)
    task.failed = true
    task.error = isHexagonError(error) ? error : new NodeError(address, error)
    records.keepView(task)
    records.task(task)
    this.failed = true
  }

  /** Finds where finished tasks lead; a router that throws fails its task. One that stops after its node is not asked. */
  route(ended: readonly Ended[]): Promise<void> | undefined {
    for (const one of ended) {
      const asked = this.#routeOne(one)
      if (asked !== undefined) return this.#routeRest(asked, ended.slice(ended.indexOf(one) + 1))
    }
    return undefined
  }

  async #routeRest(asked: Promise<void>, rest: readonly Ended[]): Promise<void> {
    await asked
    for (const one of rest) await this.#routeOne(one)
  }

  /** Gives what has to be awaited, if anything. */
  #routeOne(one: Ended): Promise<void> | undefined {
    if (this.#parts.breakpoints.due(one.task, 'after')) return undefined
    try {
      const targets = routesOf(this.#parts.instance, one.task)
      if (targets instanceof Promise) return routed(one, targets)
      one.targets = targets
    } catch (error) {
      one.failure = { error }
    }
    return undefined
  }

  /** Takes the finished tasks out; one whose router threw, or that stops after its node, stays. */
  advance(ended: readonly Ended[]): Finished[] {
    const finished: Finished[] = []
    for (const one of ended) {
      if (one.write !== undefined) this.#record(one.write)
      one.task.phase = 'route'
      const gone = this.#leave(one)
      if (gone !== undefined) finished.push(gone)
    }
    return finished
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
      this.#parts.records.passOn({ step, order, key, update })
    }
  }

  #leave({ task, targets, failure }: Ended): Finished | undefined {
    const { breakpoints, records } = this.#parts
    if (failure !== undefined) return this.fail(task, failure.error)
    if (breakpoints.stops(task, 'after')) records.task(task)
    else if (targets !== undefined) {
      this.remove(task)
      if (this.#parts.instance.joins.deliver(task.node, task.step)) records.headChanged()
      return { task, targets }
    }
    return undefined
  }

  /** Everything of a task goes. */
  remove(task: Task): void {
    const { instance, records, dropInside } = this.#parts
    instance.tasks.delete(task.id)
    // What it asked and nobody will come back to.
    instance.run.questions.cancelIn(instance.fullId(task))
    if (task.frame?.hosts === true) dropInside(task)
    records.drop(task)
  }
}
