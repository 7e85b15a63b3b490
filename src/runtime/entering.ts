// Entering knows which tasks have something to take, and enters them.

import type { Engine, Outcome, TaskFrame } from './engine.ts'
import type { QuestionRow } from './question.ts'
import { invokedAt, lineage, ownerOf } from './restored.ts'

export class Entering {
  readonly #run: Engine
  /** Tasks that have an answer to take, and the tasks around them. */
  readonly targets = new Set<string>()
  /** Tasks, and those around them, that are entered as soon as the answers on their way are taken. */
  readonly coming = new Set<string>()
  /** Where, inside a task, graphs were invoked in which something goes on. */
  readonly #passages = new Map<string, Set<string>>()
  /** Tasks to enter again as soon as their present entry has ended. */
  readonly #again = new Map<string, Set<string>>()

  constructor(run: Engine) {
    this.#run = run
  }

  target(task: string): void {
    for (const id of lineage(task)) {
      if (this.targets.has(id)) return
      this.targets.add(id)
      const inside = invokedAt(ownerOf(id))
      if (inside === undefined) continue
      const places = this.#passages.get(inside.task)
      if (places === undefined) this.#passages.set(inside.task, new Set([inside.place]))
      else places.add(inside.place)
    }
  }

  /** Places in `task` at which graphs were invoked that have an answer to take. */
  passages(task: string): Iterable<string> {
    return this.#passages.get(task) ?? []
  }

  /** A call has come to ask for this question itself. */
  arrived(row: QuestionRow): void {
    this.#again.get(row.task)?.delete(row.id)
  }

  frameOf(task: string): TaskFrame | undefined {
    for (const frame of this.#run.live) if (frame.id === task) return frame
    return undefined
  }

  /** Enters the task of a question, unless it is on its way to it. */
  unlessOnItsWay(row: QuestionRow): void {
    if (this.frameOf(row.task)?.status !== 'live') this.#enter(row)
  }

  /** Enters the task of an answered question; one that goes on just now is let come to its end first. */
  next(row: QuestionRow): void {
    if (this.frameOf(row.task)?.status !== 'live') return this.#enter(row)
    const ids = this.#again.get(row.task) ?? new Set<string>()
    this.#again.set(row.task, ids.add(row.id))
  }

  /** An entry has ended or parked: the task takes the answers that it did not come to. */
  goOnLater(frame: TaskFrame, outcome: Outcome): void {
    if (this.#again.size === 0) return
    const ids = [...(this.#again.get(frame.id) ?? [])]
    this.#again.delete(frame.id)
    const left = ids.some((id) => frame.resumption?.delivered(id) !== true)
    if (!left || outcome.kind === 'finished') return
    this.target(frame.id)
    this.#run.enter(lineage(frame.id), ownerOf)
  }

  #enter(row: QuestionRow): void {
    this.target(row.task)
    const line = lineage(row.task)
    // A graph that was let go runs again only when the task around it comes back to it.
    const inner = line.findLastIndex((task) => this.#run.owners.get(ownerOf(task))?.isLetGo)
    const [around, ...others] = line.slice(inner + 1)
    if (around === undefined) return
    if (inner === -1 || this.frameOf(around)?.status !== 'live')
      return this.#run.enter([around, ...others], ownerOf)
    const ids = this.#again.get(around) ?? new Set<string>()
    this.#again.set(around, ids.add(row.id))
  }
}
