// The states that waiting tasks were started with. Each is kept once, as long as a task needs it.

import type { Snapshot } from './graph-state.ts'
import type { Task } from './task.ts'

interface View {
  count: number
  readonly snapshot: Snapshot
}

export class Views {
  readonly #kept = new Map<number, View>()
  readonly #stamps = new Map<Task, number>()

  /** Every state that is kept, with its stamp. */
  get all(): [stamp: number, snapshot: Snapshot][] {
    return [...this.#kept].map(([stamp, { snapshot }]) => [stamp, snapshot])
  }

  /** The stamp of a task's state, if that is kept. */
  stampFor(task: Task): number | undefined {
    return this.#stamps.get(task)
  }

  /** A state that an earlier process left. */
  restore(stamp: number, snapshot: Snapshot): void {
    this.#kept.set(stamp, { count: 0, snapshot })
  }

  /** The state that an earlier process left under `stamp`. */
  at(stamp: number): Snapshot | undefined {
    return this.#kept.get(stamp)?.snapshot
  }

  /** Keeps a task's state; true when no other task has the same. */
  keep(task: Task, snapshot: Snapshot): boolean {
    const stamp = stampOf(snapshot)
    const held = this.#kept.get(stamp)
    this.#stamps.set(task, stamp)
    if (held === undefined) this.#kept.set(stamp, { count: 1, snapshot })
    else held.count += 1
    return held === undefined
  }

  /** Lets a task's state go; gives its stamp when no other task has the same. */
  release(task: Task): number | undefined {
    const stamp = this.#stamps.get(task)
    const held = stamp === undefined ? undefined : this.#kept.get(stamp)
    if (stamp === undefined || held === undefined) return undefined
    this.#stamps.delete(task)
    held.count -= 1
    if (held.count > 0) return undefined
    this.#kept.delete(stamp)
    return stamp
  }
}

/** Tells the states of one graph instance apart. */
export function stampOf({ revs }: Snapshot): number {
  return Math.max(0, ...Object.values(revs))
}
