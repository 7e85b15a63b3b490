import type { Address } from '../core/address.ts'
import type { TaskFrame } from '../runtime/engine.ts'
import type { TaskScope } from '../runtime/engine.ts'
import type { Engine } from '../runtime/engine.ts'
import { taskId } from '../runtime/restored.ts'
import type { GraphDefinition } from './definition.ts'
import type { GraphState } from './graph-state.ts'
import { Joins } from './join.ts'
import { localId, type Target, type Task } from './task.ts'

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

  /** Plans a task; its id is free in this instance. */
  plan(target: Target, at: { step: number; origin: readonly number[] }): Task {
    const definition = this.definition.nodes.get(target.node)
    const index = definition?.index ?? 0
    const { send } = target
    const subId = send === undefined ? undefined : (send.key ?? String(at.origin.at(-1) ?? 0))
    const order = send === undefined ? [index] : [index, ...at.origin]
    const named = { node: target.node, step: at.step, subId }
    const id = this.#freeId(named)
    const task: Task = {
      id,
      node: target.node,
      step: at.step,
      order,
      phase: 'run',
      passed: new Set(),
      ...(send === undefined ? {} : { subId, input: { value: send.input } }),
    }
    this.adopt(task)
    return task
  }

  adopt(task: Task): void {
    this.tasks.set(task.id, task)
    if (task.step <= this.steps) return
    this.steps = task.step
    if (this.host.gid === '/') this.run.steps = task.step
  }

  // An id can be taken already only where a late task plans into a superstep that was planned before.
  #freeId(named: { node: string; step: number; subId: string | undefined }): string {
    if (named.step > this.steps && !this.#lags(named.step)) this.#used.clear()
    let visit = 0
    let id = localId({ ...named, visit })
    while (this.#used.has(id) || this.tasks.has(id)) {
      visit += 1
      id = localId({ ...named, visit })
    }
    this.#used.add(id)
    return id
  }

  #lags(step: number): boolean {
    for (const task of this.tasks.values()) return task.step < step - 1
    return false
  }
}
