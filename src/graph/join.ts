// Joins decides when a node that waits for several others runs.
//
// A join fires when each listed node has delivered or can no longer be reached from what is active or
// parked. Both are judged in logical time: a task that lags behind (because it waited for a person)
// counts as if it ran in its own superstep, so that waiting changes nothing in the result.

import type { GraphDefinition, JoinDefinition } from './definition.ts'
import { distancesTo } from './reach.ts'

/** A task as joins see it. */
export interface LiveTask {
  readonly node: string
  readonly step: number
}

/** Superstep of each delivery that has come, by node. */
export type Deliveries = Readonly<Record<string, number>>

interface Wait {
  readonly join: JoinDefinition
  readonly distances: ReadonlyMap<string, ReadonlyMap<string, number>>
}

export class Joins {
  readonly #joins: readonly Wait[]
  #deliveries = new Map<string, Map<string, number>>()
  /** Supersteps before which deliveries count no more: somebody went on to the join's node by hand. */
  #past = new Map<string, number>()

  constructor(definition: GraphDefinition) {
    this.#joins = definition.joins.map((join) => ({
      join,
      distances: new Map(join.from.map((from) => [from, distancesTo(definition, from, join.node)])),
    }))
  }

  get none(): boolean {
    return this.#joins.length === 0
  }

  /** A node has finished; true when a join waits for it. */
  deliver(from: string, step: number): boolean {
    let taken = false
    for (const { join } of this.#joins) {
      if (!join.from.includes(from) || step < (this.#past.get(join.node) ?? 0)) continue
      const delivered = this.#deliveries.get(join.node) ?? new Map<string, number>()
      delivered.set(from, Math.max(step, delivered.get(from) ?? 0))
      this.#deliveries.set(join.node, delivered)
      taken = true
    }
    return taken
  }

  /** `node` runs in superstep `step`, whatever its join waited for: nothing from before comes to it any more. */
  use(node: string, step: number): void {
    this.#deliveries.delete(node)
    if (this.#joins.some(({ join }) => join.node === node)) this.#past.set(node, step)
  }

  /** Joins whose wait is over, each with the superstep in which it was; their deliveries are used up. */
  fire(live: readonly LiveTask[], finished: readonly LiveTask[]): LiveTask[] {
    const fired: LiveTask[] = []
    for (;;) {
      const active = [...live, ...fired.map(({ node, step }) => ({ node, step: step + 1 }))]
      const due = this.#joins.flatMap((wait) => this.#due(wait, active, finished))
      // A join that another one leads to waits for it; where they lead to each other, one has to begin.
      const first =
        due.find((join) => !due.some((other) => other !== join && this.#leads(other, join))) ??
        due[0]
      if (first === undefined) return fired
      this.#deliveries.delete(first.node)
      fired.push(first)
    }
  }

  #due(
    { join, distances }: Wait,
    active: readonly LiveTask[],
    finished: readonly LiveTask[],
  ): LiveTask[] {
    const delivered = this.#deliveries.get(join.node)
    if (delivered === undefined || delivered.size === 0) return []
    const last = Math.max(...delivered.values())
    if (
      join.from.some((from) =>
        waitsFor(from, { delivered, last, live: active, distance: distances.get(from) }),
      )
    )
      return []
    // Who can still lead to a node that has delivered changes nothing: only the missing ones were waited for.
    const missing = join.from.filter((from) => !delivered.has(from))
    const related = finished.filter(({ node }) =>
      missing.some((from) => distances.get(from)?.has(node) === true),
    )
    return [{ node: join.node, step: Math.max(last, ...related.map((task) => task.step)) }]
  }

  #leads(other: LiveTask, to: LiveTask): boolean {
    const wait = this.#joins.find(({ join }) => join.node === to.node)
    const delivered = this.#deliveries.get(to.node)
    if (wait === undefined || delivered === undefined) return false
    const live = [{ node: other.node, step: other.step + 1 }]
    return wait.join.from.some((from) =>
      waitsFor(from, { delivered, last: to.step, live, distance: wait.distances.get(from) }),
    )
  }

  /** Deliveries by join, as plain data. */
  save(): Readonly<Record<string, Deliveries>> {
    return Object.fromEntries(
      [...this.#deliveries].map(([node, delivered]) => [node, Object.fromEntries(delivered)]),
    )
  }

  /** Where a join's deliveries count from, by its node; empty for most graphs. */
  get past(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#past)
  }

  load(
    saved: Readonly<Record<string, Deliveries>>,
    past: Readonly<Record<string, number>> = {},
  ): void {
    this.#past = new Map(Object.entries(past))
    this.#deliveries = new Map(
      Object.entries(saved).map(([node, delivered]) => [node, new Map(Object.entries(delivered))]),
    )
  }

  clear(): void {
    this.#deliveries.clear()
  }
}

function waitsFor(
  from: string,
  {
    delivered,
    last,
    live,
    distance,
  }: {
    delivered: ReadonlyMap<string, number>
    last: number
    live: readonly LiveTask[]
    distance: ReadonlyMap<string, number> | undefined
  },
): boolean {
  const done = delivered.has(from)
  return live.some(({ node, step }) => {
    const far = distance?.get(node)
    if (far === undefined) return false
    // Not delivered: any way to it counts. Delivered: only a delivery that belongs to the same wait.
    return !done || step + far <= last
  })
}
