// A GraphState is the state of one graph instance: a base, and the writes made since, in logical order.
//
// Invariants:
//   1. The state is the base with every write folded in by logical position (superstep, then task order),
//      whatever the order in which the tasks finished.
//   2. Values are sealed: nobody who reads the state can change it.
//   3. A revision names one value of one key for ever; cells and views refer to values by revision.

import { encode } from '../core/codec.ts'
import { UpdateConflictError } from '../core/errors.ts'
import { copyOf, flatCopy, isExotic, seal } from '../core/seal.ts'
import type { Channels } from './channel.ts'

/** What one finished task wrote. `folds` are a subgraph's updates, folded one by one. */
export interface Write {
  readonly step: number
  readonly order: readonly number[]
  readonly task: string
  readonly node: string
  readonly updates: readonly Readonly<Record<string, unknown>>[]
  readonly folds?: Readonly<Record<string, readonly unknown[]>>
}

/** The state at one moment. */
export interface Snapshot {
  readonly values: Readonly<Record<string, unknown>>
  readonly revs: Readonly<Record<string, number>>
  readonly exotic: boolean
}

export class GraphState {
  readonly #channels: Channels
  #base: Snapshot
  #current: Snapshot
  #window: Write[] = []
  #rev = 0
  readonly #replaces = (key: string): boolean => this.#channels.replaces(key)

  constructor(channels: Channels, initial: Readonly<Record<string, unknown>>) {
    this.#channels = channels
    const values: Record<string, unknown> = {}
    const revs: Record<string, number> = {}
    for (const key of channels.keys) {
      values[key] = seal(key in initial ? initial[key] : channels.initial(key), `state.${key}`)
      revs[key] = this.#rev += 1
    }
    this.#base = this.#current = snapshot(values, revs)
  }

  /** The state as an earlier process left it. */
  static restore(
    channels: Channels,
    stored: { base: Snapshot; rev: number; window: Write[] },
  ): GraphState {
    const state = new GraphState(channels, {})
    state.#rev = stored.rev
    const added = channels.keys.filter((key) => !(key in stored.base.values))
    const values = { ...stored.base.values }
    const revs = { ...stored.base.revs }
    for (const key of added) {
      values[key] = seal(channels.initial(key), `state.${key}`)
      revs[key] = state.#rev += 1
    }
    state.#base = state.#current = snapshot(values, revs)
    state.#window = stored.window.toSorted(comparePosition)
    state.#refold(new Set(stored.window.flatMap(keysOf)))
    return state
  }

  get current(): Snapshot {
    return this.#current
  }

  get base(): Snapshot {
    return this.#base
  }

  get rev(): number {
    return this.#rev
  }

  get window(): readonly Write[] {
    return this.#window
  }

  /**
   * Folds the writes of tasks that finished together.
   * @throws UpdateConflictError when a key without reducer is written twice in one superstep; nothing is folded
   */
  fold(writes: readonly Write[]): void {
    const [only] = writes
    if (only !== undefined && writes.length === 1 && this.#window.length === 0)
      return this.#take(only)
    const added = writes.filter(({ updates, folds }) => updates.length > 0 || folds !== undefined)
    if (added.length === 0) return
    if (added.length > 1) added.sort(comparePosition)
    this.#expectNoConflict(added)
    const last = this.#window.at(-1)
    const [first] = added
    const appended = last === undefined || first === undefined || comparePosition(last, first) <= 0
    this.#window.push(...added)
    try {
      if (appended) this.#current = this.#apply(this.#current, added, undefined)
      else {
        this.#window = this.#window.toSorted(comparePosition)
        this.#refold(new Set(added.flatMap(keysOf)))
      }
    } catch (error) {
      // A reducer threw: the state stays as it was.
      this.#window = this.#window.filter((write) => !added.includes(write))
      throw error
    }
  }

  /** A write that nothing can be in conflict with, or in wrong order to. */
  #take(write: Write): void {
    const { updates, folds } = write
    if (updates.length === 0 && folds === undefined) return
    this.#current = this.#apply(this.#current, [write], undefined)
    this.#window.push(write)
  }

  /**
   * Takes the update of the only task there is straight into the base. False, with nothing changed, for
   * updates that {@link fold} has to look at: only plain values that replace others are taken here.
   */
  takeAlone(update: unknown): boolean {
    if (this.#window.length > 0) return false
    const values = flatCopy(update, { ...this.#current.values }, this.#replaces)
    if (values === undefined) return false
    const { revs: before, exotic } = this.#current
    const revs: Record<string, number> = { ...before }
    for (const key of Object.keys(Object(update))) revs[key] = this.#rev += 1
    this.#base = this.#current = { values: Object.freeze(values), revs, exotic }
    return true
  }

  /** Takes every write into the base. Only when no task is left that could still write before them. */
  settle(): readonly Write[] {
    const settled = this.#window
    this.#window = []
    this.#base = this.#current
    return settled
  }

  #refold(keys: ReadonlySet<string>): void {
    const values = { ...this.#current.values }
    const revs = { ...this.#current.revs }
    for (const key of keys) {
      values[key] = this.#base.values[key]
      revs[key] = this.#base.revs[key] ?? 0
    }
    this.#current = this.#apply({ values, revs, exotic: true }, this.#window, keys)
  }

  #apply(
    from: Snapshot,
    writes: readonly Write[],
    only: ReadonlySet<string> | undefined,
  ): Snapshot {
    const values: Record<string, unknown> = { ...from.values }
    const revs: Record<string, number> = { ...from.revs }
    const touched = new Set<string>()
    const take = (key: string, update: unknown): void => {
      if (only !== undefined && !only.has(key)) return
      values[key] = this.#channels.reduce(key, values[key], update)
      touched.add(key)
    }
    for (const { updates, folds } of writes) {
      for (const update of updates) for (const key of Object.keys(update)) take(key, update[key])
      if (folds === undefined) continue
      for (const [key, list] of Object.entries(folds)) for (const update of list) take(key, update)
    }
    // Sealed once, not after each write: a list that many tasks append to is walked once.
    for (const key of touched) {
      values[key] = seal(values[key], `state.${key}`)
      revs[key] = this.#rev += 1
    }
    return snapshot(values, revs)
  }

  #expectNoConflict(added: readonly Write[]): void {
    if (added.length === 1 && this.#window.length === 0) return
    const writers = new Map<string, Write>()
    const steps = new Set(added.map(({ step }) => step))
    for (const write of [...this.#window.filter(({ step }) => steps.has(step)), ...added]) {
      for (const key of keysOf(write)) {
        if (this.#channels.folds(key)) continue
        const slot = `${write.step} ${key}`
        const other = writers.get(slot)
        if (other !== undefined && other.task !== write.task)
          throw new UpdateConflictError(key, [other.node, write.node])
        writers.set(slot, write)
      }
    }
  }
}

/** A reader's copy: sealed values as they are, fresh copies of what can't be frozen. */
export function readable({ values, exotic }: Snapshot): Readonly<Record<string, unknown>> {
  if (!exotic) return values
  return Object.freeze(
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, copyOf(value)])),
  )
}

/** Stored text of a write. */
export function writeText(write: Write): string {
  return JSON.stringify(encode(write))
}

/** Superstep first, then the order of tasks in it. */
export function comparePosition(
  a: Pick<Write, 'step' | 'order'>,
  b: Pick<Write, 'step' | 'order'>,
): number {
  if (a.step !== b.step) return a.step - b.step
  for (let index = 0; index < Math.max(a.order.length, b.order.length); index++) {
    const difference = (a.order[index] ?? -1) - (b.order[index] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

function keysOf({ updates, folds }: Write): string[] {
  return [...updates.flatMap((update) => Object.keys(update)), ...Object.keys(folds ?? {})]
}

function snapshot(values: Record<string, unknown>, revs: Record<string, number>): Snapshot {
  let exotic = false
  for (const key of Object.keys(values)) if (isExotic(values[key])) exotic = true
  return { values: Object.freeze(values), revs, exotic }
}
