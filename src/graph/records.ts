// What a graph instance keeps in the store, and how it comes back.
//
//   g <gid>         { base, rev, steps, joins }              one per instance
//   p <gid> <n>     an update that the graph around folds too
//   c <gid> <rev>   { key, value }                           a value of the base, or of a waiting task's view
//   v <gid> <stamp> { key: rev }                             the state a waiting task was started with
//   w <gid> <task>  a write since the base
//   t <task>        a planned, waiting or failed task
//   s <gid>         the state of keys that writes since the base changed, for readers without the flow

import { decode, encode } from '../core/codec.ts'
import type { JsonValue } from '../core/json.ts'
import { seal } from '../core/seal.ts'
import { recordOf } from '../runtime/error-record.ts'
import type { GraphRecords } from '../runtime/restored.ts'
import type { GraphDefinition } from './definition.ts'
import { GraphState, writeText, type Snapshot, type Write } from './graph-state.ts'
import type { Instance, PassedOn } from './instance.ts'
import type { Deliveries } from './join.ts'
import { newTask, type Task } from './task.ts'

interface Head {
  readonly base: Readonly<Record<string, number>>
  readonly rev: number
  readonly steps: number
  readonly joins: Readonly<Record<string, Deliveries>>
}

interface TaskRecord {
  readonly id: string
  readonly node: string
  readonly step: number
  readonly order: readonly number[]
  readonly subId?: string
  readonly input?: { readonly value: unknown }
  readonly phase: Task['phase']
  readonly passed: Task['passed']
  readonly jumps?: Task['jumps']
  readonly view?: number
  readonly error?: unknown
}

/** Bytes of writes after which the base takes them in. */
const WINDOW_LIMIT = 64 * 1024

export class Records {
  readonly #instance: Instance
  readonly #keys = new Set<string>()
  readonly #cells = new Set<number>()
  readonly #views = new Map<number, { count: number; readonly snapshot: Snapshot }>()
  readonly #viewOf = new Map<Task, number>()
  #windowBytes = 0
  #lastBase = 0
  #headDirty = true

  constructor(instance: Instance) {
    this.#instance = instance
  }

  get #durable(): boolean {
    return this.#instance.run.journal.durable
  }

  /** `value` must stay as it is. */
  #put(key: string, value: unknown): void {
    this.#instance.run.journal.put(key, () => textOf(value))
    this.#keys.add(key)
  }

  #delete(key: string): void {
    if (!this.#keys.delete(key)) return
    this.#instance.run.journal.delete(key)
  }

  /** An update of a key that the graph around folds too. */
  passOn(one: PassedOn): void {
    const { passedOn, host } = this.#instance
    passedOn.push(one)
    if (this.#durable) this.#put(`p ${host.gid} ${passedOn.length - 1}`, one)
  }

  /** The instance's own record is written with the next commit. */
  headChanged(): void {
    this.#headDirty = true
  }

  task(task: Task): void {
    if (!this.#durable) return
    const record: TaskRecord = {
      id: task.id,
      node: task.node,
      step: task.step,
      order: task.order,
      phase: task.phase,
      passed: task.passed,
      ...(task.subId === undefined ? {} : { subId: task.subId }),
      ...(task.input === undefined ? {} : { input: task.input }),
      ...(task.jumps === undefined ? {} : { jumps: task.jumps }),
      ...(this.#viewOf.has(task) ? { view: this.#viewOf.get(task) ?? 0 } : {}),
      ...(task.error === undefined ? {} : { error: recordOf(task.error) }),
    }
    this.#put(`t ${this.#instance.fullId(task)}`, record)
  }

  /** A task that waits keeps the state it was started with. */
  keepView(task: Task): void {
    if (
      !this.#durable ||
      task.input !== undefined ||
      task.view === undefined ||
      this.#viewOf.has(task)
    )
      return
    const stamp = Math.max(0, ...Object.values(task.view.revs))
    const held = this.#views.get(stamp)
    this.#viewOf.set(task, stamp)
    if (held === undefined) {
      this.#views.set(stamp, { count: 1, snapshot: task.view })
      this.#putCells(task.view)
      this.#put(`v ${this.#instance.host.gid} ${stamp}`, task.view.revs)
    } else held.count += 1
    this.task(task)
  }

  /** Everything of a task goes: its record, its memo, its view, what ran inside it. */
  drop(task: Task): void {
    const { run } = this.#instance
    const id = this.#instance.fullId(task)
    if (!this.#durable) return
    this.#delete(`t ${id}`)
    this.#dropInside(task, id)
    for (const [path, memo] of task.frame?.memo ?? run.memoOf(id) ?? []) {
      if (memo.kind === 'question') {
        if (memo.answer !== undefined) run.journal.close(memo.row.id, 'consume')
        continue
      }
      if (memo.kind === 'component' && memo.answer !== undefined)
        run.journal.close(memo.id, 'consume')
      run.journal.delete(`m ${id} ${path}`)
    }
    this.#releaseView(task)
  }

  /** Graphs in a task that nobody came back to in this process. */
  #dropInside({ frame }: Task, id: string): void {
    const { run } = this.#instance
    if (frame?.hosts === true) return
    for (const key of run.restored.keysInside(id)) run.journal.delete(key)
  }

  #releaseView(task: Task): void {
    const stamp = this.#viewOf.get(task)
    if (stamp === undefined) return
    this.#viewOf.delete(task)
    const held = this.#views.get(stamp)
    if (held === undefined) return
    held.count -= 1
    if (held.count > 0) return
    this.#views.delete(stamp)
    this.#delete(`v ${this.#instance.host.gid} ${stamp}`)
  }

  write(write: Write): void {
    if (!this.#durable || (write.updates.length === 0 && write.folds === undefined)) return
    const text = writeText(write)
    const key = this.#writeKey(write)
    this.#instance.run.journal.put(key, text)
    this.#keys.add(key)
    this.#windowBytes += text.length
  }

  #writeKey(write: Write): string {
    return `w ${this.#instance.host.gid} ${write.task}`
  }

  /** Before a commit: takes writes into the base when they have outgrown it, or when the run stops. */
  beforeCommit(stopping: boolean): void {
    const { state } = this.#instance
    const outgrown = this.#windowBytes > Math.max(WINDOW_LIMIT, this.#lastBase)
    if ((stopping || outgrown || !this.#durable) && state.window.length > 0 && !this.#lagging())
      this.#settle()
    if (!this.#durable) return
    if (this.#headDirty || stopping) this.#putHead()
    if (stopping) this.#putOverlay()
  }

  /** Takes every write into the base, although tasks are left that write later: what they write comes on top. */
  takeIn(): void {
    if (this.#instance.state.window.length > 0) this.#settle()
  }

  #putOverlay(): void {
    const { state, host } = this.#instance
    const keys = Object.keys(state.current.revs).filter(
      (key) => state.current.revs[key] !== state.base.revs[key],
    )
    if (keys.length === 0) this.#delete(`s ${host.gid}`)
    else
      this.#put(
        `s ${host.gid}`,
        Object.fromEntries(keys.map((key) => [key, state.current.values[key]])),
      )
  }

  #lagging(): boolean {
    const last = this.#instance.state.window.at(-1)?.step ?? 0
    for (const task of this.#instance.tasks.values())
      if (task.step <= last && task.phase === 'run') return true
    return false
  }

  #settle(): void {
    const { state } = this.#instance
    const settled = state.settle()
    if (!this.#durable) return
    for (const write of settled) this.#delete(this.#writeKey(write))
    this.#windowBytes = 0
    this.#headDirty = true
  }

  #putHead(): void {
    const { state, steps, joins, host } = this.#instance
    this.#lastBase = 0
    this.#putCells(state.base)
    const head: Head = {
      base: state.base.revs,
      rev: state.rev,
      steps,
      joins: joins.save(),
    }
    this.#put(`g ${host.gid}`, head)
    this.#sweepCells()
    this.#headDirty = false
  }

  #putCells(from: Snapshot): void {
    const { run, host } = this.#instance
    for (const [key, rev] of Object.entries(from.revs)) {
      if (this.#cells.has(rev)) continue
      this.#cells.add(rev)
      const value = from.values[key]
      const at = `c ${host.gid} ${rev}`
      this.#keys.add(at)
      run.journal.put(at, () => {
        const text = textOf({ key, value })
        this.#lastBase += text.length
        return text
      })
    }
  }

  #sweepCells(): void {
    const used = new Set(Object.values(this.#instance.state.base.revs))
    for (const { snapshot } of this.#views.values())
      for (const rev of Object.values(snapshot.revs)) used.add(rev)
    for (const rev of this.#cells) {
      if (used.has(rev)) continue
      this.#cells.delete(rev)
      this.#delete(`c ${this.#instance.host.gid} ${rev}`)
    }
  }

  /** The whole instance is gone: the task around it has ended. */
  dropAll(): void {
    for (const task of this.#instance.tasks.values()) this.drop(task)
    for (const key of this.#keys) this.#delete(key)
  }

  /** Takes over what an earlier process stored; undefined when it stored nothing. */
  restore(
    records: GraphRecords,
    definition: GraphDefinition,
  ): { state: GraphState; head: Head; passedOn: readonly PassedOn[] } | undefined {
    if (records.head === undefined) return undefined
    const { gid } = this.#instance.host
    const head = parse<Head>(records.head, `g ${gid}`)
    this.#keys.add(`g ${gid}`).add(`s ${gid}`)
    const cells = new Map<number, unknown>()
    for (const [rev, text] of records.cells) {
      this.#keys.add(`c ${gid} ${rev}`)
      this.#cells.add(rev)
      cells.set(rev, seal(parse<{ value: unknown }>(text, `c ${gid} ${rev}`).value))
    }
    const window = records.window.map((text) => parse<Write>(text, `w ${gid}`))
    for (const write of window) this.#keys.add(this.#writeKey(write))
    const state = GraphState.restore(definition.channels, {
      base: snapshotOf(head.base, cells),
      // A killed process may have kept cells of waiting tasks after its last head.
      rev: Math.max(head.rev, ...cells.keys()),
      window,
    })
    for (const [stamp, text] of records.views) {
      this.#keys.add(`v ${gid} ${stamp}`)
      this.#views.set(stamp, {
        count: 0,
        snapshot: snapshotOf(parse<Record<string, number>>(text, `v ${gid} ${stamp}`), cells),
      })
    }
    const passedOn = [...records.passedOn].toSorted(([a], [b]) => a - b)
    for (const [at] of passedOn) this.#keys.add(`p ${gid} ${at}`)
    this.#headDirty = false
    return { state, head, passedOn: passedOn.map(([at, text]) => parse(text, `p ${gid} ${at}`)) }
  }

  restoreTask(text: string): Task {
    const { gid } = this.#instance.host
    const record = parse<TaskRecord>(text, `t ${gid}`)
    const view = record.view === undefined ? undefined : this.#views.get(record.view)
    const task = newTask(record, {
      phase: record.phase,
      passed: record.passed,
      subId: record.subId,
      input: record.input === undefined ? undefined : { value: seal(record.input.value) },
      jumps: record.jumps,
      ...(record.error === undefined ? {} : { failed: true, error: errorOf(record.error) }),
      view: view?.snapshot,
    })
    if (view !== undefined && record.view !== undefined) {
      view.count += 1
      this.#viewOf.set(task, record.view)
    }
    this.#keys.add(`t ${this.#instance.fullId(task)}`)
    return task
  }
}

function snapshotOf(
  revs: Readonly<Record<string, number>>,
  cells: ReadonlyMap<number, unknown>,
): Snapshot {
  const values = Object.fromEntries(Object.entries(revs).map(([key, rev]) => [key, cells.get(rev)]))
  return { values: Object.freeze(values), revs, exotic: true }
}

function errorOf(stored: unknown): Error {
  const {
    name = 'Error',
    message = '',
    stack,
  } = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Error>
  const error = new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return error
}

function textOf(value: unknown): string {
  return JSON.stringify(encode(value))
}

function parse<T>(text: string, where: string): T {
  return decode(JSON.parse(text) as JsonValue, where) as T
}
