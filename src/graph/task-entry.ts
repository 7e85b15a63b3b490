// A TaskEntry enters tasks of one graph instance: through their gates, announced, in a frame of their own.

import { HexagonError } from '../core/errors.ts'
import type { Outcome } from '../runtime/engine.ts'
import { recordOf } from '../runtime/error-record.ts'
import type { Frame } from '../runtime/frame.ts'
import { isWorthAnother } from '../runtime/retry.ts'
import type { NodeDefinition } from './definition.ts'
import type { Gates, Passage } from './gates.ts'
import type { Instance } from './instance.ts'
import { startTask, type Nested } from './run-node.ts'
import type { Task } from './task.ts'
import { NodeTimeoutError } from './time-limit.ts'

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
  readonly #running = new Set<Frame>()
  // One for all tasks: a closure for each would keep it alive for longer than it is wanted.
  readonly #woken = (frame: Frame): Promise<void> | undefined => this.#wake(frame)
  /** Told to stop because a sibling failed. */
  readonly #told = new WeakSet<Frame>()

  constructor(parts: EntryParts) {
    this.#parts = parts
  }

  /** The outcome of a woken task, or of a new entry. The caller tells {@link ended} of it. */
  outcome(task: Task): Outcome | Promise<Outcome> {
    const awaited = this.#awaited.get(task)
    if (awaited !== undefined) return this.#goOn(task, awaited)
    const node = this.#nodeOf(task)
    const passage = this.#parts.gates.of(node)
    if (passage !== undefined) return this.#runThrough(passage, task)
    const isWatched = this.#parts.instance.run.listening || node.options.timeout !== undefined
    return isWatched ? this.#run(task) : (this.#beginAmong(task, node) ?? nextOf(task))
  }

  /** True for a woken task whose outcome nobody has taken yet. */
  isAwaited(task: Task): boolean {
    return this.#awaited.has(task)
  }

  async #goOn(task: Task, awaited: Promise<Outcome>): Promise<Outcome> {
    this.#awaited.delete(task)
    const { run } = this.#parts.instance
    const started = run.services.clock()
    const outcome = await awaited
    if (run.listening) this.#announceEnd(task, outcome, started)
    return outcome
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
    const { run } = this.#parts.instance
    const started = run.listening ? this.#announceStart(task) : 0
    const outcome = await this.#enter(task)
    if (run.listening && !this.#goesOn(task, outcome)) this.#announceEnd(task, outcome, started)
    return outcome
  }

  /** It waits only for its answers to be saved: nobody is to be told that it waits. */
  #goesOn({ frame }: Task, { kind }: Outcome): boolean {
    const ids = [...(frame?.questions.keys() ?? [])]
    const { questions } = this.#parts.instance.run
    return kind === 'parked' && ids.length > 0 && ids.every((id) => questions.isTaken(id))
  }

  /** Enters the task, and again where its time ran out and its node is to be tried again. */
  async #enter(task: Task): Promise<Outcome> {
    const node = this.#nodeOf(task)
    for (let attempt = 1; ; attempt++) {
      const outcome = this.#beginAmong(task, node) ?? (await nextOf(task))
      const timedOut = outcome.kind === 'failed' && outcome.error instanceof NodeTimeoutError
      if (!timedOut || !isWorthAnother(node.options.retry, outcome.error, attempt)) return outcome
      if (task.frame !== undefined) this.#running.delete(task.frame)
    }
  }

  /** Enters the task; gives how that ended where nothing is awaited, else its frame tells. */
  begin(task: Task, node: NodeDefinition): Outcome | undefined {
    const { instance, nested } = this.#parts
    const outcome = startTask({ instance, task, node, nested })
    if (task.frame !== undefined) task.frame.onWake = this.#woken
    return outcome
  }

  /** Begins a task that may have siblings: they stop each other. */
  #beginAmong(task: Task, node: NodeDefinition): Outcome | undefined {
    const outcome = this.begin(task, node)
    if (outcome === undefined && task.frame !== undefined) this.#running.add(task.frame)
    return outcome
  }

  #nodeOf(task: Task): NodeDefinition {
    const node = this.#parts.instance.definition.nodes.get(task.node)
    if (node !== undefined) return node
    throw new HexagonError('E1304', `The flow no longer has node "${task.node}"`)
  }

  /**
   * To be told of each outcome: when a task fails, its siblings are told to stop by their signal. Who ends
   * well all the same keeps its result; who gives up because of it has not failed, it runs again.
   */
  ended({ frame }: Task, outcome: Outcome): Outcome {
    if (frame === undefined) return outcome
    this.#running.delete(frame)
    if (outcome.kind !== 'failed') return outcome
    if (this.#told.has(frame)) return { kind: 'abandoned' }
    for (const sibling of this.#running) {
      this.#told.add(sibling)
      sibling.stop(outcome.error)
    }
    return outcome
  }

  /** A parked task goes on in this process, when its turn comes. */
  #wake(frame: Frame): Promise<void> | undefined {
    const task = this.#parts.instance.find(frame.id)
    if (task === undefined) return undefined
    const next = frame.next()
    this.#running.add(frame)
    this.#awaited.set(task, next)
    this.#parts.onWake(task)
    const passage = this.#parts.gates.of(this.#nodeOf(task))
    if (passage === undefined) return undefined
    const turn = passage.enter()
    void Promise.all([turn, next]).then(() => passage.leave())
    return turn
  }

  #announceStart(task: Task): number {
    const { run } = this.#parts.instance
    const { node, step } = task
    run.emit(this.#parts.instance.addressOf(task), { type: 'node:start', node, step, attempt: 1 })
    return run.services.clock()
  }

  #announceEnd(task: Task, outcome: Outcome, started: number): void {
    const { run } = this.#parts.instance
    const ms = run.services.clock() - started
    const end = { type: 'node:end' as const, node: task.node, step: task.step, ms }
    run.emit(
      this.#parts.instance.addressOf(task),
      outcome.kind === 'failed'
        ? { ...end, outcome: 'failed', error: recordOf(outcome.error) }
        : { ...end, outcome: outcome.kind },
    )
  }
}

/** How a task that has begun comes to rest. */
function nextOf({ frame }: Task): Outcome | Promise<Outcome> {
  return frame === undefined ? { kind: 'abandoned' } : frame.next()
}
