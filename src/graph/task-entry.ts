// A TaskEntry enters tasks of one graph instance: through their gates, announced, in a frame of their own.

import { HexagonError } from '../core/errors.ts'
import type { Outcome } from '../runtime/engine.ts'
import { recordOf } from '../runtime/error-record.ts'
import type { Gates, Passage } from './gates.ts'
import type { Instance } from './instance.ts'
import { startTask, type Nested } from './run-node.ts'
import { addressOf, type Task } from './task.ts'

/** What entering needs of the graph's run. */
export interface EntryParts {
  readonly instance: Instance
  readonly gates: Gates
  readonly nested: Nested
  /** A parked task goes on: its next outcome makes a round of its own. */
  readonly onWake: (task: Task) => void
}

export class TaskEntry {
  readonly #parts: EntryParts
  readonly #awaited = new Map<Task, Promise<Outcome>>()

  constructor(parts: EntryParts) {
    this.#parts = parts
  }

  /** The outcome of a woken task, or of a new entry. */
  outcome(task: Task): Promise<Outcome> {
    const awaited = this.#awaited.get(task)
    this.#awaited.delete(task)
    if (awaited !== undefined) return awaited
    const passage = this.#parts.gates.of(task.node)
    return passage === undefined ? this.#run(task) : this.#runThrough(passage, task)
  }

  async #runThrough(passage: Passage, task: Task): Promise<Outcome> {
    await passage.enter()
    try {
      const { stop } = this.#parts.instance.run
      return stop === undefined ? await this.#run(task) : { kind: 'abandoned' }
    } finally {
      passage.leave()
    }
  }

  async #run(task: Task): Promise<Outcome> {
    const { instance, nested } = this.#parts
    const { run, definition } = instance
    const node = definition.nodes.get(task.node)
    if (node === undefined) {
      throw new HexagonError('E1304', `The flow no longer has node "${task.node}"`)
    }
    const started = run.listening ? this.#announceStart(task) : 0
    const running = startTask({ instance, task, node, nested })
    const { frame } = task
    if (frame !== undefined) frame.onWake = () => this.#wake(task)
    const outcome = await running
    if (run.listening) this.#announceEnd(task, outcome, started)
    return outcome
  }

  /** A parked task goes on in this process, when its turn comes. */
  #wake(task: Task): Promise<void> | undefined {
    const next = task.frame?.next()
    if (next === undefined) return undefined
    this.#awaited.set(task, next)
    this.#parts.onWake(task)
    const passage = this.#parts.gates.of(task.node)
    if (passage === undefined) return undefined
    const turn = passage.enter()
    void Promise.all([turn, next]).then(() => passage.leave())
    return turn
  }

  #announceStart(task: Task): number {
    const { run, host } = this.#parts.instance
    const { node, step } = task
    run.emit(addressOf(host.base, task), { type: 'node:start', node, step, attempt: 1 })
    return run.services.clock()
  }

  #announceEnd(task: Task, outcome: Outcome, started: number): void {
    const { run, host } = this.#parts.instance
    const ms = run.services.clock() - started
    const end = { type: 'node:end' as const, node: task.node, step: task.step, ms }
    run.emit(
      addressOf(host.base, task),
      outcome.kind === 'failed'
        ? { ...end, outcome: 'failed', error: recordOf(outcome.error) }
        : { ...end, outcome: outcome.kind },
    )
  }
}
