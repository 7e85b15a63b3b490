// What a graph instance keeps in the store, and how it comes back.
//
//   g <gid>         { base, rev, steps, joins, past }        one per instance
//   p <gid> <n>     an update that the graph around folds too
//   c <gid> <rev>   { key, value }                           a value of the base, or of a waiting task's view
//   v <gid> <stamp> { key: rev }                             the state a waiting task was started with, unless
//                                                            that is the base
//   w <gid> <task>  a write since the base
//   t <task>        a planned, waiting or failed task
//   s <gid>         the state of keys that writes since the base changed, for readers without the flow

import { decode, encode, StoredValueError } from '../core/codec.ts'
import type { JsonValue } from '../core/json.ts'
import { seal } from '../core/seal.ts'
import { errorOf, recordOf } from '../runtime/error-record.ts'
import type { GraphRecords } from '../runtime/restored.ts'
import type { GraphDefinition } from './definition.ts'
import { GraphState, writeText, type Snapshot, type Write } from './graph-state.ts'
import type { Instance, PassedOn } from './instance.ts'
import type { Deliveries } from './join.ts'
import { newTask, type Task } from './task.ts'
import { stampOf, Views } from './views.ts'

interface Head {
  readonly base: Readonly<Record<string, number>>
  readonly rev: number
  readonly steps: number
  readonly joins: Readonly<Record<string, Deliveries>>
  readonly past?: Readonly<Record<string, number>>
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
  readonly #views = new Views()
  #restoredBase: Snapshot | undefined
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
    const view = this.#views.stampFor(task)
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
      ...(view === undefined ? {} : { view }),
      ...(task.error === undefined ? {} : { error: recordOf(task.error) }),
    }
    this.#put(`t ${this.#instance.fullId(task)}`, record)
  }

  /** A task that waits keeps the state it was started with. */
  keepView(task: Task): void {
    const { view } = task
    if (!this.#durable || task.input !== undefined || view === undefined) return
    if (this.#views.stampFor(task) !== undefined) return
    if (this.#views.keep(task, view)) {
      this.#putCells(view)
      this.#putView(stampOf(view), view)
    }
    this.task(task)
  }

  /** The base is known by the instance's own record. */
  #putView(stamp: number, { revs }: Snapshot): void {
    const key = `v ${this.#instance.host.gid} ${stamp}`
    if (stamp !== stampOf(this.#instance.state.base) && !this.#keys.has(key)) this.#put(key, revs)
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
    const stamp = this.#views.release(task)
    if (stamp !== undefined) this.#delete(`v ${this.#instance.host.gid} ${stamp}`)
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
    if (this.#instance.state.window.length === 0) return
    this.#settle()
    if (this.#durable) this.#putHead()
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
      past: joins.past,
    }
    this.#put(`g ${host.gid}`, head)
    for (const [stamp, snapshot] of this.#views.all) this.#putView(stamp, snapshot)
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
    for (const [, snapshot] of this.#views.all)
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
    this.#restoredBase = snapshotOf(head.base, cells)
    const state = GraphState.restore(definition.channels, {
      base: this.#restoredBase,
      // A killed process may have kept cells of waiting tasks after its last head.
      rev: Math.max(head.rev, ...cells.keys()),
      window,
    })
    for (const [stamp, text] of records.views) {
      this.#keys.add(`v ${gid} ${stamp}`)
      const revs = parse<Record<string, number>>(text, `v ${gid} ${stamp}`)
      this.#views.restore(stamp, snapshotOf(revs, cells))
    }
    const passedOn = [...records.passedOn].toSorted(([a], [b]) => a - b)
    for (const [at] of passedOn) this.#keys.add(`p ${gid} ${at}`)
    // A graph that has more keys now has another base than the one that is stored.
    this.#headDirty = stampOf(state.base) !== stampOf(this.#restoredBase)
    return { state, head, passedOn: passedOn.map(([at, text]) => parse(text, `p ${gid} ${at}`)) }
  }

  restoreTask(text: string): Task {
    const { gid } = this.#instance.host
    const record = parse<TaskRecord>(text, `t ${gid}`)
    const view = record.view === undefined ? undefined : this.#viewAt(record.view)
    const task = newTask(record, {
      phase: record.phase,
      passed: record.passed,
      subId: record.subId,
      input: record.input === undefined ? undefined : { value: seal(record.input.value) },
      jumps: record.jumps,
      ...(record.error === undefined ? {} : { failed: true, error: errorOf(record.error) }),
      view,
    })
    if (view !== undefined) this.#views.keep(task, view)
    this.#keys.add(`t ${this.#instance.fullId(task)}`)
    return task
  }

  #viewAt(stamp: number): Snapshot | undefined {
    const base = this.#restoredBase
    return this.#views.at(stamp) ?? (base && stampOf(base) === stamp ? base : undefined)
  }
}

function snapshotOf(
  revs: Readonly<Record<string, number>>,
  cells: ReadonlyMap<number, unknown>,
): Snapshot {
  const values = Object.fromEntries(Object.entries(revs).map(([key, rev]) => [key, cells.get(rev)]))
  return { values: Object.freeze(values), revs, exotic: true }
}

function textOf(value: unknown): string {
  return JSON.stringify(encode(value))
}

function parse<T>(text: string, where: string): T {
  return decode(jsonIn(text, where), where) as T
}

function jsonIn(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (cause) {
    throw new StoredValueError(where, 'is not JSON', { cause })
  }
}
