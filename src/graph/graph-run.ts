// A GraphRun drives one graph instance: it begins or takes over, goes on when somebody was answered, and
// ends when nothing is left.
//
// Invariant: a waiting task never holds back others. Its round goes on without it, and when it is answered
// it becomes a round of its own.

import { copyOf } from '../core/seal.ts'
import { runInScope } from '../runtime/carrier.ts'
import type { TaskFrame, TaskOwner } from '../runtime/engine.ts'
import { ROOT } from '../runtime/restored.ts'
import { Scope } from '../runtime/scope.ts'
import { createSignal } from '../runtime/signal.ts'
import type { AsideTarget } from './aside.ts'
import { Breakpoints } from './breakpoint.ts'
import { START } from './command.ts'
import type { GraphDefinition, SubgraphBody } from './definition.ts'
import { Gates } from './gates.ts'
import { goingOn, startingOver } from './going-on.ts'
import { applyCommand } from './graph-command.ts'
import { GraphState } from './graph-state.ts'
import { Instance, type Host } from './instance.ts'
import { Records } from './records.ts'
import { Rounds } from './rounds.ts'
import { planNext, routesOf } from './route.ts'
import type { TaskInput } from './run-node.ts'
import { Settlement } from './settlement.ts'
import { callStartHook } from './start-hook.ts'
import { mapping, sentInput, sharedFolds, subgraphInput, subgraphResult } from './subgraph.ts'
import { takeOver } from './take-over.ts'
import { TaskEntry } from './task-entry.ts'
import { newTask, type Task } from './task.ts'

/** What a graph instance is made from. */
export interface GraphStart {
  readonly host: Host
  readonly definition: GraphDefinition
  readonly input: unknown
  /** Keys whose updates the graph around folds one by one. */
  readonly passOn: readonly string[]
}

export class GraphRun implements TaskOwner {
  readonly instance: Instance
  readonly #records: Records
  readonly #settlement: Settlement
  readonly #rounds: Rounds
  readonly #aside: AsideTarget
  readonly #woken = new Set<Task>()
  #chains = 0
  #waiting = false
  #isLetGo = false
  #begun = false
  /** True when an earlier process left something. */
  #resumed: boolean | undefined
  #crash: { readonly error: unknown } | undefined
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** The instance that runs at `start.host`, or a new one; what an earlier process left is taken over. */
  static obtain(start: GraphStart): GraphRun {
    const { owners } = start.host.run
    const found = owners.get(start.host.gid)
    if (found instanceof GraphRun) {
      found.#rehost(start.host)
      return found
    }
    const made = new GraphRun(start)
    owners.set(start.host.gid, made)
    start.host.frame.hosted.add(start.host.gid)
    return made
  }

  constructor({ host, definition, input, passOn }: GraphStart) {
    const values =
      typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
    const state = new GraphState(definition.channels, values)
    const instance = new Instance(host, definition, { input, state })
    this.instance = instance
    this.#records = new Records(instance)
    this.#aside = { instance, records: this.#records, passOn }
    const breakpoints = new Breakpoints(instance)
    this.#settlement = new Settlement({
      instance,
      records: this.#records,
      breakpoints,
      passOn,
      dropInside: (task) => this.#dropInside(task),
    })
    const entry = new TaskEntry({
      instance,
      gates: new Gates(definition.maxConcurrency ?? host.run.options.maxConcurrency),
      nested: (frame, body, given) => this.#nested(frame, body, given),
      onWake: (task) => this.#enterSoon(task),
    })
    this.#rounds = new Rounds({
      instance,
      records: this.#records,
      breakpoints,
      settlement: this.#settlement,
      entry,
      over: () => this.#crash !== undefined,
    })
  }

  /** Runs until nothing is left; rejects when a task failed, or by a signal when the run stops. */
  execute(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#crash = undefined
      this.#isLetGo = false
      void this.#begin()
    })
  }

  async #begin(): Promise<void> {
    try {
      if (this.#begun) this.#retry()
      else await this.#restore()
    } catch (error) {
      this.#reject(error)
    }
  }

  /** The task around was entered again: what failed or never started here runs again. */
  #retry(): void {
    this.#settlement.failed = false
    this.#launch(startingOver(this.instance, this.#woken))
  }

  /** The task around is entered again, by another frame: its earlier entry is let go. */
  #rehost(host: Host): void {
    if (host.frame === this.instance.host.frame) return
    this.unwind()
    this.instance.host = host
    this.#waiting = false
    host.frame.hosted.add(host.gid)
  }

  async #restore(): Promise<void> {
    this.#begun = true
    this.#resumed ??= this.#takeOver()
    if (this.instance.definition.onStart !== undefined) await this.#callHook(this.#resumed)
    if (this.#resumed) {
      // Each level goes on from a stack of its own: one would not do for hundreds.
      await Promise.resolve()
      await this.#enterRestored()
    } else this.#launch(await this.#planFirst())
  }

  async #callHook(resumed: boolean): Promise<void> {
    try {
      await callStartHook({ ...this.#aside, resumed })
    } catch (error) {
      this.#begun = false
      throw error
    }
  }

  /** Takes over what an earlier process left; false when it left nothing. */
  #takeOver(): boolean {
    const { run, host } = this.instance
    try {
      return takeOver(this.instance, this.#records)
    } catch (error) {
      if (host.gid === ROOT) run.unreadable = { error }
      throw error
    }
  }

  /** Tasks with an answer go on at once; the others wait until those answers are accepted. */
  async #enterRestored(): Promise<void> {
    const { questions } = this.instance.run
    const { targeted, rest, coming } = goingOn(this.instance)
    if ((targeted.length > 0 || coming) && questions.submitting) {
      if (targeted.length > 0) this.#launch([...targeted])
      let planned: Task[] = []
      questions.whenTaken(() => {
        planned = this.#command()
      })
      await questions.settled()
      this.#launch([...planned, ...rest])
      return
    }
    this.#launch(
      [...this.#command(), ...targeted, ...rest].filter((task) => this.instance.tasks.has(task.id)),
    )
  }

  #command(): Task[] {
    return applyCommand({
      ...this.#aside,
      remove: (task) => this.#settlement.remove(task),
    })
  }

  async #planFirst(): Promise<Task[]> {
    const start = newTask({ id: START, node: START, step: 0, order: [] }, { phase: 'route' })
    const next = planNext(this.instance, [
      { task: start, targets: await routesOf(this.instance, start) },
    ])
    for (const task of next) this.#records.task(task)
    return next
  }

  #launch(tasks: Task[]): void {
    const turn = this.#goOn()
    this.#chains += 1
    void runInScope(this.instance.host.scope, () => this.#chain(tasks, turn))
  }

  /** The task around goes on with its graph; gives the moment of its turn, if it has to wait for that. */
  #goOn(): Promise<void> | undefined {
    if (!this.#waiting) return undefined
    this.#waiting = false
    return this.instance.host.frame.wake(this.instance.host.depth)
  }

  async #chain(tasks: Task[], turn: Promise<void> | undefined): Promise<void> {
    try {
      if (turn !== undefined) await turn
      await this.#rounds.run(tasks)
    } catch (error) {
      this.#crash ??= { error }
    }
    this.#chains -= 1
    if (this.#chains === 0) this.#idle()
  }

  #idle(): void {
    if (this.#crash !== undefined) return this.#reject(this.#crash.error)
    const { tasks, run, host } = this.instance
    if (tasks.size === 0) return this.#resolve()
    for (const task of tasks.values()) if (task.failed) return this.#reject(task.error)
    if (run.stop !== undefined) return this.unwind()
    this.#waiting = true
    host.frame.wait(host.depth)
  }

  async #nested(frame: TaskFrame, body: SubgraphBody, given: TaskInput): Promise<unknown> {
    const { run, definition: outer } = this.instance
    const input = mapping(frame, () =>
      given.kind === 'state'
        ? subgraphInput(body, outer, given.value)
        : sentInput(body, given.value),
    )
    const inner = GraphRun.obtain({
      host: {
        run,
        frame,
        scope: new Scope(frame, frame.address, { unaskable: 'in a reducer' }),
        gid: frame.id,
        base: frame.address,
        depth: 0,
      },
      definition: body.graph.definition(),
      input,
      passOn: sharedFolds(body, outer),
    })
    await inner.execute()
    return mapping(frame, () => subgraphResult(inner.instance, outer, body))
  }

  get keys(): readonly string[] {
    return this.instance.definition.channels.keys
  }

  read(key: string, fullId?: string): unknown {
    const { tasks, state, host } = this.instance
    const local = fullId?.slice(host.gid === ROOT ? 0 : host.gid.length + 1) ?? ''
    return copyOf((tasks.get(local)?.view ?? state.current).values[key])
  }

  enter(fullId: string): void {
    const task = this.instance.find(fullId)
    if (task !== undefined) this.#enterSoon(task)
  }

  // Tasks answered together are one round: they are gathered until the answers are all handed out.
  #enterSoon(task: Task): void {
    this.#woken.add(task)
    if (this.#woken.size > 1) return
    const turn = this.#goOn()
    this.#chains += 1
    queueMicrotask(() => {
      const tasks = [...this.#woken]
      this.#woken.clear()
      void runInScope(this.instance.host.scope, () => this.#chain(tasks, turn))
    })
  }

  get isNode(): boolean {
    return this.instance.host.frame.plain
  }

  get waits(): boolean {
    return this.#waiting
  }

  get isLetGo(): boolean {
    return this.#isLetGo
  }

  letGo(): void {
    const { frame, depth } = this.instance.host
    this.#waiting = false
    this.#isLetGo = true
    void frame.wake(depth)
    this.unwind()
  }

  /** Rejects whoever waits for this instance by a signal: the run stops. */
  unwind(): void {
    this.#reject(createSignal({ id: '', address: this.instance.host.base, info: undefined }))
  }

  /** Graphs that ran inside a task are gone with it. */
  #dropInside(task: Task): void {
    const { owners } = this.instance.run
    for (const gid of task.frame?.hosted ?? []) {
      const owner = owners.get(gid)
      owners.delete(gid)
      if (owner instanceof GraphRun) owner.#dropAll()
    }
  }

  #dropAll(): void {
    for (const task of this.instance.tasks.values()) {
      this.instance.run.questions.cancelIn(this.instance.fullId(task))
      this.#dropInside(task)
    }
    this.#records.dropAll()
  }
}
