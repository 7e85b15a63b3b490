import type { Address } from '../core/address.ts'
import type { TaskFrame } from '../runtime/engine.ts'
import type { TaskScope } from '../runtime/engine.ts'
import type { Engine } from '../runtime/engine.ts'
import { ROOT, taskId } from '../runtime/restored.ts'
import type { GraphDefinition, NodeDefinition } from './definition.ts'
import type { GraphState } from './graph-state.ts'
import { Joins } from './join.ts'
import { addressOf, localId, newTask, plainTask, type Target, type Task } from './task.ts'

/** Where a graph instance lives. */
export interface Host {
  readonly run: Engine
  /** The task (or root) it runs in. */
  readonly frame: TaskFrame
  /** A scope in which nobody can be asked: routers and reducers run in it. */
  readonly scope: TaskScope
  readonly gid: string
  /** Address of the graph itself; its nodes lie below. */
  readonly base: Address
  /** Steps around the instance, which wait with it. */
  readonly depth: number
}

/** An update of a key that the graph around folds too. */
export interface PassedOn {
  readonly step: number
  readonly order: readonly number[]
  readonly key: string
  readonly update: unknown
}

/** A node that this version of the graph does not have. */
const UNKNOWN: Pick<NodeDefinition, 'tag' | 'order'> = { tag: '', order: [0] }

/** What a graph instance holds while it runs. */
export class Instance {
  /** Another one when the task around is entered again. */
  host: Host
  readonly definition: GraphDefinition
  readonly input: unknown
  readonly joins: Joins
  /** Planned, running, waiting and failed tasks, by local id. */
  readonly tasks = new Map<string, Task>()
  /** Updates of keys that the graph around folds too. */
  readonly passedOn: PassedOn[] = []
  state: GraphState
  /** The highest superstep planned. */
  steps = 0
  readonly #used = new Set<string>()

  constructor(
    host: Host,
    definition: GraphDefinition,
    start: { input: unknown; state: GraphState },
  ) {
    this.host = host
    this.definition = definition
    this.input = start.input
    this.state = start.state
    this.joins = new Joins(definition)
  }

  get run(): Engine {
    return this.host.run
  }

  fullId(task: Task): string {
    return taskId(this.host.gid, task.id)
  }

  /** The task with this full id, while it is planned, runs or waits. */
  find(fullId: string): Task | undefined {
    const { gid } = this.host
    return this.tasks.get(gid === ROOT ? fullId : fullId.slice(gid.length + 1))
  }

  /** Plans a task; its id is free in this instance. */
  plan(target: Target, at: { step: number; origin: readonly number[] }): Task {
    const { node, send } = target
    const { step } = at
    const { tag, order } = this.definition.nodes.get(node) ?? UNKNOWN
    if (send === undefined)
      return this.adopt(plainTask(this.#freeId(tag, step), node, { step, order }))
    const subId = send.key ?? String(at.origin.at(-1) ?? 0)
    const id = this.#freeId(tag, step, subId)
    const place = { id, node, step, order: [...order, ...at.origin] }
    return this.adopt(newTask(place, { subId, input: { value: send.input } }))
  }

  /** {@link plan} for a node that the state alone leads to. */
  planPlain({ name, tag, order }: NodeDefinition, step: number): Task {
    return this.adopt(plainTask(this.#freeId(tag, step), name, { step, order }))
  }

  /** The address of a task's node. */
  addressOf({ node, subId }: Task): Address {
    const found = this.definition.nodes.get(node)
    if (found === undefined || subId !== undefined)
      return addressOf(this.host.base, { node, subId })
    const { base } = this.host
    return base.length === 0 ? found.address : [...base, ...found.address]
  }

  adopt(task: Task): Task {
    this.tasks.set(task.id, task)
    if (task.step <= this.steps) return task
    this.steps = task.step
    if (this.host.gid === '/') this.run.steps = task.step
    return task
  }

  // An id can be taken already only where a late task plans into a superstep that was planned before.
  #freeId(tag: string, step: number, subId?: string): string {
    let visit = 0
    let id = localId(tag, { step, subId, visit })
    if (step > this.steps) {
      if (this.#used.size > 0 && !this.#lags(step)) this.#used.clear()
      // Nobody is left who could come to this superstep later.
      if (this.tasks.size === 0) return id
    }
    while (this.#used.has(id) || this.tasks.has(id)) {
      visit += 1
      id = localId(tag, { step, subId, visit })
    }
    this.#used.add(id)
    return id
  }

  #lags(step: number): boolean {
    for (const task of this.tasks.values()) return task.step < step - 1
    return false
  }
}
