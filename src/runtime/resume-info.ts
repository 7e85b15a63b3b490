// A ResumeInfo holds what is known of earlier interrupts, by place, and hands it to the scopes that are
// entered: a place found in this task's own records first, an address loaded from maps second.
//
// Invariants:
//   1. What is known of a point is handed out once; a later visit starts clean.
//   2. A scope is a target when its own point is, or when one strictly below it is and was not handed out.
//   3. Targets and points may come in either order; loading more never drops what is there.
//   4. Entering costs the depth of the scope, whatever the number of points.

import { segmentKey, type Address } from '../core/address.ts'
import { placeOf, placesAround, visitOf } from './place.ts'

/** A value that may be absent: `undefined` inside is a value. */
export interface Kept {
  readonly value: unknown
}

/** That a point is to go on; `data` when something was given for it. */
export interface Target {
  readonly data?: Kept
}

/** One recorded interrupt. `loaded` ones come from maps, which do not tell leaves from composites. */
export interface Point {
  readonly id: string
  readonly kind: 'leaf' | 'composite' | 'loaded'
  readonly address: Address
  readonly state?: Kept | undefined
  readonly target?: Target | undefined
}

/** Why a component runs now. */
export type Resumption =
  /** It is not interrupted here: it runs as on the first day. */
  | { readonly kind: 'fresh' }
  /** Its own question has its answer. Handed out once; a later visit is `fresh`. */
  | { readonly kind: 'answered'; readonly data: unknown; readonly state?: Kept }
  /** It is told to go on without being given anything. */
  | { readonly kind: 'continued'; readonly state?: Kept }
  /** A question below it goes on: its children will find it. */
  | { readonly kind: 'passing'; readonly interrupted: boolean; readonly state?: Kept }
  /** Its question is still open: it raises it again. */
  | { readonly kind: 'waiting'; readonly state?: Kept }

/** What a scope was handed when it was entered. */
export interface Entered {
  readonly resumption: Resumption
  /** Points that are still open here: a signal made in this scope takes over their ids. */
  readonly open: Point[]
  /** The point whose answer was handed out. */
  readonly answered?: string
}

interface Placed {
  point: Point
  readonly key: string
  readonly shelf: Shelf
  taken: boolean
}

const FRESH: Resumption = { kind: 'fresh' }

export class ResumeInfo {
  readonly #places = new Shelf()
  readonly #addresses = new Shelf()
  readonly #points = new Map<string, Placed>()
  readonly #targets = new Map<string, Target>()
  readonly #refused = new Map<unknown, string>()
  /** Ids of the next segments towards points, by address; made when it is asked for. */
  #steps: Map<string, Set<string>> | undefined
  #known = false

  /** Places a point of this task's own records. */
  record(place: string, point: Point): void {
    this.#put(this.#places, place, point)
  }

  /** Places a point that only its address is known of. What was given for its id before counts. */
  load(point: Point): void {
    const known = this.#points.get(point.id)
    if (known === undefined || known.taken) {
      const target = this.#targets.get(point.id)
      this.#put(this.#addresses, placeOf(point.address), { ...point, target })
      return
    }
    if (point.state !== undefined) known.point = { ...known.point, state: point.state }
  }

  #put(shelf: Shelf, key: string, point: Point): void {
    const placed: Placed = { point, key, shelf, taken: false }
    this.#points.set(point.id, placed)
    this.#known = true
    this.#steps = undefined
    shelf.add(placed)
    if (point.target !== undefined) shelf.aim(key, 1)
  }

  /** Gives something for a point, known already or still to come; the last word counts. */
  target(id: string, target: Target): void {
    this.#targets.set(id, target)
    const placed = this.#points.get(id)
    if (placed === undefined || placed.taken) return
    if (placed.point.target === undefined) placed.shelf.aim(placed.key, 1)
    placed.point = { ...placed.point, target }
  }

  /** Something goes on in a graph that was invoked at `place`. */
  passThrough(place: string): void {
    this.#places.aim(place, 1)
    this.#places.aimAt(place)
  }

  /** Hands a scope what is known of its place. */
  enter(scope: { readonly path: string; readonly address: Address }): Entered {
    const own = this.#places.at(scope.path)
    const address = placeOf(scope.address)
    const loaded = own.length > 0 ? undefined : this.#addresses.first(address)
    const taken = loaded === undefined ? own : [loaded]
    for (const placed of taken) this.#take(placed)
    const passing = this.#places.isAbove(scope.path) || this.#addresses.isAbove(address)
    const points = taken.map(({ point }) => point)
    const answered = points.find(({ target }) => target !== undefined)
    return {
      resumption: resumptionOf(points, answered?.target, passing),
      open: points.filter(({ target }) => target === undefined),
      ...(answered === undefined ? {} : { answered: answered.id }),
    }
  }

  #take(placed: Placed): void {
    placed.taken = true
    placed.shelf.remove(placed)
    if (placed.point.target === undefined) return
    placed.shelf.aim(placed.key, -1)
    this.#targets.delete(placed.point.id)
  }

  /** True when the point was handed to a scope. */
  handedOut(id: string): boolean {
    return this.#points.get(id)?.taken === true
  }

  /** True when a scope was handed what was given for the point. */
  delivered(id: string): boolean {
    const placed = this.#points.get(id)
    return placed?.taken === true && placed.point.target !== undefined
  }

  /** Visits below `base` that something is known of, in order. */
  visits(base: string): readonly number[] {
    return this.#places.visits(base)
  }

  /** Ids of the segments that follow `address` towards recorded points; undefined when none was ever recorded. */
  next(address: Address): ReadonlySet<string> | undefined {
    if (!this.#known) return undefined
    this.#steps ??= stepsOf([...this.#points.values()].map(({ point }) => point.address))
    return this.#steps.get(placeOf(address)) ?? new Set()
  }

  /** A component could not use what was given for `id`. */
  refuse(id: string, error: unknown): void {
    this.#refused.set(error, id)
  }

  /** The point whose data is what `error` is about. */
  refusedBy(error: unknown): string | undefined {
    let at: unknown = error
    for (let depth = 0; depth < 16 && at instanceof Error; depth += 1) {
      const id = this.#refused.get(at)
      if (id !== undefined) return id
      at = at.cause
    }
    return undefined
  }
}

function resumptionOf(
  points: readonly Point[],
  target: Target | undefined,
  passing: boolean,
): Resumption {
  const state =
    points.find(({ kind, state: kept }) => kind === 'composite' && kept !== undefined)?.state ??
    points.find(({ state: kept }) => kept !== undefined)?.state
  const held = state === undefined ? {} : { state }
  if (target?.data !== undefined) return { kind: 'answered', data: target.data.value, ...held }
  if (target !== undefined) return { kind: 'continued', ...held }
  if (passing) return { kind: 'passing', interrupted: points.length > 0, ...held }
  return points.length > 0 ? { kind: 'waiting', ...held } : FRESH
}

/** The ids that may follow each address towards `addresses`. */
function stepsOf(addresses: readonly Address[]): Map<string, Set<string>> {
  const steps = new Map<string, Set<string>>()
  for (const address of addresses) {
    let place = ''
    for (const segment of address) {
      const ids = steps.get(place)
      if (ids === undefined) steps.set(place, new Set([segment.id]))
      else ids.add(segment.id)
      place += segmentKey(segment)
    }
  }
  return steps
}

/** Points by place, each until it is taken; and how many targets lie below each place. */
class Shelf {
  readonly #at = new Map<string, Set<Placed>>()
  readonly #below = new Map<string, number>()
  readonly #visits = new Map<string, Set<number>>()

  /** The points at a place, in the order they were recorded. */
  at(key: string): readonly Placed[] {
    return [...(this.#at.get(key) ?? [])]
  }

  first(key: string): Placed | undefined {
    return this.#at.get(key)?.values().next().value
  }

  add(placed: Placed): void {
    const { key } = placed
    const here = this.#at.get(key)
    if (here === undefined) this.#at.set(key, new Set([placed]))
    else here.add(placed)
    for (const place of [...placesAround(key), key]) this.#addVisit(place)
  }

  #addVisit(place: string): void {
    const { base, visit } = visitOf(place)
    const visits = this.#visits.get(base)
    if (visits === undefined) this.#visits.set(base, new Set([visit]))
    else visits.add(visit)
  }

  remove(placed: Placed): void {
    this.#at.get(placed.key)?.delete(placed)
  }

  /** A target at `key` came (1) or went (-1): the places around it count it. */
  aim(key: string, by: 1 | -1): void {
    for (const place of placesAround(key)) this.aimAt(place, by)
  }

  aimAt(place: string, by: 1 | -1 = 1): void {
    this.#below.set(place, (this.#below.get(place) ?? 0) + by)
  }

  isAbove(key: string): boolean {
    return (this.#below.get(key) ?? 0) > 0
  }

  visits(base: string): readonly number[] {
    return [...(this.#visits.get(base) ?? [])].toSorted((a, b) => a - b)
  }
}
