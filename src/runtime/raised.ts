// What an entry of a task raised, taken from the signals it threw: every node once, with its place.

import { isDescendantOf, type Address } from '../core/address.ts'
import type { ComponentMemo, Memo } from './memo.ts'
import { placeOf, placesAround } from './place.ts'
import { invokedAt } from './restored.ts'
import type { Kept, ResumeInfo } from './resume-info.ts'
import { nodesOf } from './signal-tree.ts'
import type { InterruptSignal } from './signal.ts'

/** One entry of a task, as far as signals go. */
export interface RaisingEntry {
  readonly id: string
  readonly address: Address
  readonly memo: Map<string, Memo>
  readonly resumption: ResumeInfo | undefined
  /** Signals that left a component's scope, whatever became of them. */
  readonly escaped: ReadonlySet<InterruptSignal> | undefined
  /** Graphs that are invoked inside. */
  readonly hosted: ReadonlySet<string>
}

/** How an entry ended: by the signals alone, by an error beside them, or by a value although there were some. */
export type Ending = 'raised' | 'failed' | 'returned'

/** A node of what was raised. */
export interface Raised {
  readonly id: string
  readonly address: Address
  readonly info: unknown
  readonly leaf: boolean
  readonly state: Kept | undefined
  readonly place: string
}

/** Every node by id. What left a scope counts too, unless a component around it spoke for it. */
export function raisedIn(
  entry: RaisingEntry,
  { thrown, ending }: { readonly thrown: readonly InterruptSignal[]; readonly ending: Ending },
  freshId: () => string,
): Map<string, Raised> {
  const raised = new Map<string, Raised>()
  const spoken = new Set<string>()
  const add = (top: InterruptSignal): void => {
    for (const signal of nodesOf(top)) {
      const own = signal.origin?.task === entry.id
      // A failure brings the signals of other tasks along; those have opened their questions.
      if (!own && (ending === 'failed' || isCall(entry, signal))) continue
      const node = nodeOf(entry, signal, own ? undefined : () => adoptedId(entry, signal, freshId))
      raised.set(node.id, node)
      spoken.add(node.place)
    }
  }
  for (const signal of thrown) add(signal)
  const escaped = [...(entry.escaped ?? [])]
    .filter(({ origin }) => origin?.task === entry.id)
    .map((signal) => ({ signal, place: signal.origin?.place ?? '' }))
    .toSorted((a, b) => a.place.length - b.place.length)
  for (const { signal, place } of escaped) {
    const known = raised.has(signal.id) || spoken.has(place)
    if (!known && !placesAround(place).some((around) => spoken.has(around))) add(signal)
  }
  return raised
}

function nodeOf(
  entry: RaisingEntry,
  signal: InterruptSignal,
  adopt: (() => string) | undefined,
): Raised {
  const { address, info, state, isRootCause } = signal
  return {
    id: adopt === undefined ? signal.id : adopt(),
    address,
    info,
    leaf: isRootCause,
    state,
    place: placeIn(entry, signal),
  }
}

/** Where in the task a signal was made; one from elsewhere counts by its address. */
function placeIn(
  { id, address }: RaisingEntry,
  { origin, address: made }: InterruptSignal,
): string {
  if (origin?.task === id) return origin.place
  return placeOf(isDescendantOf(made, address) ? made.slice(address.length) : made)
}

/** The engine's own signals: a run that stops, and a call that was unwound. Their questions are open. */
function isCall(entry: RaisingEntry, { id, origin }: InterruptSignal): boolean {
  if (origin !== undefined) return false
  if (id === '') return true
  for (const memo of entry.memo.values())
    if (memo.kind === 'question' && memo.row.id === id) return true
  return false
}

/** The id of a signal made elsewhere: what is known under it here, or open at its place; else a new one. */
function adoptedId(entry: RaisingEntry, signal: InterruptSignal, freshId: () => string): string {
  for (const { id } of entry.escaped ?? []) if (id === signal.id) return id
  const place = placeIn(entry, signal)
  const records = [...entry.memo.values()].filter(
    (memo): memo is ComponentMemo => memo.kind === 'component' && memo.answer === undefined,
  )
  const known =
    records.find(({ id }) => id === signal.id) ??
    records.find((memo) => memo.place === place && (memo.row !== undefined) === signal.isRootCause)
  return known?.id ?? freshId()
}

/**
 * Whether what is known of an earlier interrupt has done its part: its place asks or gathers anew, or it
 * belongs to a component that is finished, and whose outcome the state of the one around it holds.
 */
export function doneBy(
  raised: readonly Raised[],
  waiting: readonly string[],
): (memo: ComponentMemo) => boolean {
  const places = (wanted: (node: Raised) => boolean): Set<string> =>
    new Set(raised.filter(wanted).map(({ place }) => place))
  const raising = places(() => true)
  const asking = places(({ leaf }) => leaf)
  const keeping = places(({ state }) => state !== undefined)
  const unfinished = new Set([...raising, ...waiting].flatMap((at) => [...placesAround(at), at]))
  return ({ place, row }) => {
    const replaced = row === undefined ? raising.has(place) : asking.has(place)
    const line = [...placesAround(place), place]
    const isKept = (at: string, index: number): boolean =>
      keeping.has(at) && !unfinished.has(line[index + 1] ?? '')
    return replaced || keeping.has(place) || line.some(isKept)
  }
}

/** Places in a task at which calls and invoked graphs wait. */
export function waitingIn(entry: RaisingEntry, waits: (graph: string) => boolean): string[] {
  const places: string[] = []
  for (const [path, memo] of entry.memo)
    if (memo.kind === 'question' && memo.answer === undefined) places.push(path)
  for (const graph of entry.hosted) {
    const inside = waits(graph) ? invokedAt(graph) : undefined
    if (inside !== undefined) places.push(inside.place)
  }
  return places
}
