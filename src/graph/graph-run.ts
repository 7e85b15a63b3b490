// A GraphRun drives one graph instance: rounds of tasks, the fold of what they wrote, and what comes next.
//
// Invariants:
//   1. Tasks planned together are one round: none sees another's writes, and they are folded together.
//   2. A waiting task never holds back others: its round goes on without it, and when it is answered it
//      becomes a round of its own.
//   3. A round's results are saved before what follows it starts.

import { HexagonError, NodeError, StepLimitError, isHexagonError } from '../core/errors.ts'
import { runInScope } from '../runtime/carrier.ts'
import type { Frame, Outcome } from '../runtime/frame.ts'
import { Scope } from '../runtime/scope.ts'
import { createSignal } from '../runtime/signal.ts'
import type { TaskOwner } from '../runtime/thread-run.ts'
import { Breakpoints } from './breakpoint.ts'
import { START } from './command.ts'
import type { GraphDefinition, SubgraphBody } from './definition.ts'
import { Gate } from './gate.ts'
import { GraphState, type Write } from './graph-state.ts'
import { Instance, type Host } from './instance.ts'
import { checkUpdate, readResult, readTargets } from './node-result.ts'
import { Records } from './records.ts'
import { fireJoins, planNext, routesOf } from './route.ts'
import { startTask } from './run-node.ts'
import {
  sentInput,
  sharedFolds,
  subgraphInput,
  subgraphResult,
  SubgraphResult,
} from './subgraph.ts'
import { addressOf, type Target, type Task } from './task.ts'

/** What a graph instance is made from. */
export interface GraphStart {
  readonly host: Host
  readonly definition: GraphDefinition
  readonly input: unknown
  /** Keys whose updates the graph around folds one by one. */
  readonly passOn: readonly string[]
}

/** A task whose node has finished: what it wrote, and where it leads. */
interface Ended {
  readonly task: Task
  readonly write?: Write
  targets?: readonly Target[]
  failure?: { readonly error: unknown }
}

interface Finished {
  readonly task: Task
  readonly targets: readonly Target[]
}

export class GraphRun implements TaskOwner {
  readonly instance: Instance
  readonly #records: Records
  readonly #breakpoints: Breakpoints
  readonly #passOn: ReadonlySet<string>
  readonly #gates = new Map<string, Gate>()
  readonly #gate: Gate | undefined
  readonly #awaited = new Map<Task, Promise<Outcome>>()
  readonly #woken = new Set<Task>()
  #chains = 0
  #waiting = false
  #begun = false
  /** A task failed: nothing new starts. */
  #stopping = false
  #crash: { readonly error: unknown } | undefined
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** The instance that runs at `start.host`, or a new one; what an earlier process left is taken over. */
  static obtain(start: GraphStart): GraphRun {
    const { owners } = start.host.run
    const found = owners.get(start.host.gid)
    if (found instanceof GraphRun) return found
    const made = new GraphRun(start)
    owners.set(start.host.gid, made)
    start.host.frame.hosted.add(start.host.gid)
    return made
  }

  constructor({ host, definition, input, passOn }: GraphStart) {
    const values =
      typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
    const state = new GraphState(definition.channels, values)
    this.instance = new Instance(host, definition, { input, state })
    this.#records = new Records(this.instance)
    this.#breakpoints = new Breakpoints(this.instance)
    this.#passOn = new Set(passOn)
    const limit = definition.maxConcurrency ?? host.run.options.maxConcurrency
    this.#gate = limit === undefined ? undefined : new Gate(limit)
  }

  /** Runs until nothing is left; rejects when a task failed, or by a signal when the run stops. */
  execute(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#crash = undefined
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
    this.#stopping = false
    const { questions } = this.instance.run
    this.#launch(
      [...this.instance.tasks.values()].filter(
        (task) => task.failed === true || !questions.waitsIn(this.instance.fullId(task)),
      ),
    )
  }

  async #restore(): Promise<void> {
    this.#begun = true
    if (this.#takeOver()) await this.#enterRestored()
    else this.#launch(await this.#plan([{ node: START }], 0))
  }

  /** Takes over what an earlier process left; false when it left nothing. */
  #takeOver(): boolean {
    const { run, host, definition, joins, passedOn } = this.instance
    const stored = run.restored.graph(host.gid)
    try {
      const restored = this.#records.restore(stored, definition)
      if (restored === undefined) return false
      this.instance.state = restored.state
      this.instance.steps = restored.head.steps
      joins.load(restored.head.joins)
      passedOn.push(...restored.head.passedOn)
      for (const text of stored.tasks) this.instance.adopt(this.#records.restoreTask(text))
      if (host.gid === '/') run.steps = Math.max(run.steps, restored.head.steps)
      return true
    } catch (error) {
      if (host.gid === '/') run.unreadable = { error }
      throw error
    }
  }

  /** Tasks with an answer go on at once; the others wait until those answers are accepted. */
  async #enterRestored(): Promise<void> {
    const { run } = this.instance
    const { questions } = run
    const tasks = [...this.instance.tasks.values()]
    const targeted = tasks.filter((task) => questions.targets.has(this.instance.fullId(task)))
    const rest = tasks.filter((task) => {
      const id = this.instance.fullId(task)
      if (questions.targets.has(id)) return false
      return task.failed === true ? run.options.retryFailed === true : !questions.waitsIn(id)
    })
    if (targeted.length > 0 && questions.submitting) {
      this.#launch(targeted)
      await questions.settled()
      this.#launch([...this.#command(), ...rest])
      return
    }
    this.#launch(
      [...this.#command(), ...targeted, ...rest].filter((task) => this.instance.tasks.has(task.id)),
    )
  }

  /** What the caller's command changes: state keys, and where to go on. Root graph only. */
  #command(): Task[] {
    const { run, host, definition, steps } = this.instance
    const { update, goto } = run.options
    if (host.gid !== '/' || (update === undefined && goto === undefined)) return []
    if (update !== undefined) {
      const write: Write = {
        step: steps,
        order: [Number.MAX_SAFE_INTEGER],
        task: `${steps}+${run.version}`,
        node: 'update',
        updates: [checkUpdate(update, definition.channels, 'update')],
      }
      this.instance.state.fold([write])
      this.#records.write(write)
    }
    if (goto === undefined) return []
    const targets = readTargets(goto, definition, 'goto')
    for (const task of this.instance.tasks.values()) {
      if (!run.questions.targets.has(this.instance.fullId(task))) this.#abandon(task)
    }
    return targets.map((target) => this.#planOne(target, steps + 1))
  }

  #planOne(target: Target, step: number): Task {
    const task = this.instance.plan(target, { step, origin: [] })
    this.#records.task(task)
    return task
  }

  #abandon(task: Task): void {
    const id = this.instance.fullId(task)
    this.instance.run.questions.cancelIn(id)
    this.#dropInside(task)
    this.#records.drop(task)
    this.instance.tasks.delete(task.id)
  }

  async #plan(from: readonly { node: string }[], step: number): Promise<Task[]> {
    const routed: Finished[] = []
    for (const { node } of from) {
      const task: Task = { id: node, node, step, order: [], phase: 'route', passed: new Set() }
      routed.push({ task, targets: await routesOf(this.instance, task) })
    }
    const next = planNext(this.instance, routed)
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
    let next = tasks
    try {
      if (turn !== undefined) await turn
      while (next.length > 0 && this.#crash === undefined) next = await this.#round(next)
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
    for (const task of tasks.values()) if (task.failed === true) return this.#reject(task.error)
    if (run.stop !== undefined) return this.unwind()
    this.#waiting = true
    host.frame.wait(host.depth)
  }

  async #round(tasks: readonly Task[]): Promise<Task[]> {
    const { run } = this.instance
    if (run.stop !== undefined || this.#stopping) return []
    this.#expectSteps(tasks)
    const outcomes =
      tasks.length === 1 && tasks[0] !== undefined
        ? [await this.#outcome(tasks[0])]
        : await Promise.all(tasks.map((task) => this.#outcome(task)))
    if (run.questions.submitting) await run.questions.settled().catch(() => undefined)
    const ended = this.#fold(tasks, outcomes)
    for (const one of ended) if (!this.#breakpoints.due(one.task, 'after')) await this.#route(one)
    // From here to the commit nothing else runs: others never see a task gone and its successors not there.
    const routed = this.#advance(ended)
    const next = planNext(this.instance, routed)
    const fired = fireJoins(
      this.instance,
      routed.map(({ task }) => task),
    )
    if (fired.length > 0) this.#records.headChanged()
    next.push(...fired)
    for (const task of next) this.#records.task(task)
    await this.#commit(next)
    return next
  }

  async #commit(next: readonly Task[]): Promise<void> {
    const { run } = this.instance
    const stopping = next.length === 0 || run.stop !== undefined
    this.#records.beforeCommit(stopping)
    const saved = run.journal.flush(`superstep ${this.instance.steps}`)
    if (saved !== undefined) await saved
  }

  #expectSteps(tasks: readonly Task[]): void {
    const { run, definition } = this.instance
    const limit = run.options.maxSteps ?? definition.recursionLimit
    if (this.instance.steps > limit)
      throw new StepLimitError(
        limit,
        tasks.map(({ node }) => node),
      )
  }

  #outcome(task: Task): Promise<Outcome> | Outcome {
    const awaited = this.#awaited.get(task)
    if (awaited !== undefined) {
      this.#awaited.delete(task)
      return awaited
    }
    if (task.phase === 'route') return { kind: 'finished', value: undefined }
    if (this.#breakpoints.stops(task, 'before')) return { kind: 'parked' }
    return this.#start(task)
  }

  #start(task: Task): Promise<Outcome> {
    const node = this.instance.definition.nodes.get(task.node)
    if (node === undefined)
      throw new HexagonError('E1304', `The flow no longer has node "${task.node}"`)
    const gates = this.#gatesOf(task.node, node.options.maxConcurrency)
    return gates.length === 0 ? this.#run(task) : this.#runGated(task, gates)
  }

  async #runGated(task: Task, gates: readonly Gate[]): Promise<Outcome> {
    await enterAll(gates)
    try {
      return this.instance.run.stop === undefined ? await this.#run(task) : { kind: 'abandoned' }
    } finally {
      leaveAll(gates)
    }
  }

  async #run(task: Task): Promise<Outcome> {
    const { run, definition } = this.instance
    const node = definition.nodes.get(task.node)
    if (node === undefined) return { kind: 'abandoned' }
    const started = run.listening ? this.#announceStart(task) : 0
    const running = startTask({
      instance: this.instance,
      task,
      node,
      nested: (frame, body, input) =>
        this.#nested(
          frame,
          body,
          mapping(frame, () =>
            task.input === undefined
              ? subgraphInput(body, definition, input)
              : sentInput(body, input),
          ),
        ),
    })
    const { frame } = task
    if (frame !== undefined) frame.onWake = () => this.#wake(task)
    const outcome = await running
    if (run.listening) this.#announceEnd(task, outcome, started)
    return outcome
  }

  async #nested(
    frame: Frame,
    body: SubgraphBody,
    input: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const { run, definition: outer } = this.instance
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

  #announceStart(task: Task): number {
    const { run, host } = this.instance
    run.emit(addressOf(host.base, task), {
      type: 'node:start',
      node: task.node,
      step: task.step,
      attempt: 1,
    })
    return run.services.clock()
  }

  #announceEnd(task: Task, outcome: Outcome, started: number): void {
    const { run, host } = this.instance
    const ms = run.services.clock() - started
    run.emit(addressOf(host.base, task), {
      type: 'node:end',
      node: task.node,
      step: task.step,
      ms,
      outcome: outcome.kind,
      ...(outcome.kind === 'failed' ? { error: this.#recordOf(outcome.error) } : {}),
    })
  }

  #recordOf(error: unknown): { name: string; message: string } {
    return error instanceof Error
      ? { name: error.name, message: error.message }
      : { name: 'Error', message: String(error) }
  }

  #gatesOf(node: string, limit: number | undefined): Gate[] {
    const gates = this.#gate === undefined ? [] : [this.#gate]
    if (limit === undefined) return gates
    const own = this.#gates.get(node) ?? new Gate(limit)
    this.#gates.set(node, own)
    return [own, ...gates]
  }

  /** A parked task goes on in this process, when its turn comes. */
  #wake(task: Task): Promise<void> | undefined {
    const next = task.frame?.next()
    if (next === undefined) return undefined
    this.#awaited.set(task, next)
    this.#enterSoon(task)
    const limit = this.instance.definition.nodes.get(task.node)?.options.maxConcurrency
    const gates = this.#gatesOf(task.node, limit)
    if (gates.length === 0) return undefined
    const turn = enterAll(gates)
    void Promise.all([turn, next]).then(() => leaveAll(gates))
    return turn
  }

  enter(fullId: string): void {
    for (const task of this.instance.tasks.values())
      if (this.instance.fullId(task) === fullId) return this.#enterSoon(task)
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

  /** Rejects whoever waits for this instance by a signal: the run stops. */
  unwind(): void {
    this.#reject(createSignal({ id: '', address: this.instance.host.base, info: undefined }))
  }

  /** Takes in what ended; gives the tasks whose writes are in the state now. */
  #fold(tasks: readonly Task[], outcomes: readonly Outcome[]): Ended[] {
    const ended: Ended[] = []
    for (const [index, task] of tasks.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined || !this.instance.tasks.has(task.id)) continue
      if (outcome.kind === 'parked') this.#park(task)
      if (outcome.kind === 'failed') this.#fail(task, outcome.error)
      if (outcome.kind !== 'finished') continue
      const one = task.phase === 'run' ? this.#take(task, outcome.value) : { task }
      if (one !== undefined) ended.push(one)
    }
    return this.#foldWrites(ended) ? ended : ended.filter(({ task }) => task.failed !== true)
  }

  #park(task: Task): void {
    if (task.frame === undefined) this.#records.task(task)
    else this.#records.keepView(task)
  }

  #foldWrites(ended: readonly Ended[]): boolean {
    try {
      this.instance.state.fold(ended.flatMap(({ write }) => (write === undefined ? [] : [write])))
      return true
    } catch (error) {
      // Nothing of this round is in the state: its tasks failed together.
      for (const { task, write } of ended) if (write !== undefined) this.#fail(task, error)
      return false
    }
  }

  #take(task: Task, value: unknown): Ended | undefined {
    const { host, definition } = this.instance
    try {
      const at = { step: task.step, order: task.order, task: task.id, node: task.node }
      if (value instanceof SubgraphResult) {
        return { task, write: { ...at, updates: [value.update], folds: value.folds } }
      }
      const { updates, jumps } = readResult(value, definition, addressOf(host.base, task))
      task.jumps = jumps
      return { task, write: { ...at, updates } }
    } catch (error) {
      this.#fail(task, error)
      return undefined
    }
  }

  #passUpdatesOn({ step, order, updates, folds }: Write): void {
    if (this.#passOn.size === 0) return
    const single = updates.flatMap((update) => Object.entries(update))
    const listed = Object.entries(folds ?? {}).flatMap(([key, list]) =>
      list.map((update) => [key, update] as const),
    )
    for (const [key, update] of [...single, ...listed]) {
      if (!this.#passOn.has(key)) continue
      this.instance.passedOn.push({ step, order, key, update })
      this.#records.headChanged()
    }
  }

  #fail(task: Task, error: unknown): void {
    const address = addressOf(this.instance.host.base, task)
    task.failed = true
    task.error = isHexagonError(error) ? error : new NodeError(address, error)
    this.#records.keepView(task)
    this.#records.task(task)
    this.#stopping = true
  }

  /** Finds where a finished task leads; a router that throws fails its task. */
  async #route(ended: Ended): Promise<void> {
    try {
      const targets = routesOf(this.instance, ended.task)
      ended.targets = targets instanceof Promise ? await targets : targets
    } catch (error) {
      ended.failure = { error }
    }
  }

  /** Takes the finished tasks out; one whose router threw, or that stops after its node, stays. */
  #advance(ended: readonly Ended[]): Finished[] {
    return ended.flatMap((one) => {
      const { task, write, targets, failure } = one
      if (write !== undefined) {
        this.#records.write(write)
        this.#passUpdatesOn(write)
      }
      task.phase = 'route'
      if (failure !== undefined) this.#fail(task, failure.error)
      else if (this.#breakpoints.stops(task, 'after')) this.#records.task(task)
      else if (targets !== undefined) {
        this.#remove(task)
        return [{ task, targets }]
      }
      return []
    })
  }

  #remove(task: Task): void {
    this.instance.tasks.delete(task.id)
    // What its components asked and did not come back to.
    this.instance.run.questions.cancelIn(this.instance.fullId(task))
    this.#dropInside(task)
    this.#records.drop(task)
    if (this.instance.joins.deliver(task.node, task.step)) this.#records.headChanged()
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

/** Runs a subgraph's mapper, which may not ask. */
function mapping<T>(frame: Frame, body: () => T): T {
  return runInScope(new Scope(frame, frame.address, { unaskable: 'in a subgraph mapper' }), body)
}

async function enterAll(gates: readonly Gate[]): Promise<void> {
  for (const gate of gates) await gate.enter()
}

function leaveAll(gates: readonly Gate[]): void {
  for (const gate of gates) gate.leave()
}
