// What a stored thread waits for, as the tree its components raised: leaves are its open questions; around
// them the composites that gathered them, and the graphs that were invoked.

import type { Address } from '../core/address.ts'
import type { StoredThread } from '../core/store.ts'
import type { ComponentMemo, Memo } from '../runtime/memo.ts'
import { placesAround } from '../runtime/place.ts'
import { hostOf, invokedAt, ownerOf } from '../runtime/restored.ts'
import { fromInterruptContexts, type SignalContext } from '../runtime/signal-tree.ts'
import type { InterruptSignal } from '../runtime/signal.ts'
import { parse, questionOf } from './thread-record.ts'

/** A level around a question. */
type Level = Omit<SignalContext, 'parent'>

/** The open questions of a thread as one tree; undefined where nothing is open. */
export function treeOf(thread: StoredThread): InterruptSignal | undefined {
  const composites = compositesOf(thread)
  const made = new Map<string, SignalContext>()
  const rows = thread.interrupts.filter(({ status }) => status === 'open').map(questionOf)
  const leaves = rows
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .map(({ id, address, payload, message, task, path }): SignalContext => {
      const levels = levelsAround({ task, path, address }, composites)
      const parent = levels.reduceRight<SignalContext | null>((around, one) => {
        const known = made.get(one.id) ?? { ...one, parent: around }
        made.set(one.id, known)
        return known
      }, null)
      return { id, address, info: payload ?? message, isRootCause: true, parent }
    })
  return fromInterruptContexts(leaves)
}

interface Asking {
  readonly task: string
  readonly path: string
  readonly address: Address
}

/** Composites by task. */
function compositesOf({ records, interrupts }: StoredThread): Map<string, ComponentMemo[]> {
  const asked = new Set(interrupts.map(({ id }) => id))
  const found = new Map<string, ComponentMemo[]>()
  for (const [key, text] of records) {
    const [type, task = ''] = key.split(' ', 2)
    const memo = type === 'm' ? parse<Memo>(text, key) : undefined
    if (memo?.kind !== 'component' || asked.has(memo.id)) continue
    found.set(task, [...(found.get(task) ?? []), memo])
  }
  return found
}

/** The levels around a question, innermost first. */
function levelsAround(
  { task, path, address }: Asking,
  composites: ReadonlyMap<string, readonly ComponentMemo[]>,
): Level[] {
  const levels: Level[] = []
  let at: string | undefined = task
  let place = path
  while (at !== undefined) {
    const here = composites.get(at) ?? []
    for (const around of placesAround(place).toReversed())
      levels.push(...here.filter((memo) => memo.place === around).map(level))
    const gid = ownerOf(at)
    const invoked = invokedAt(gid)
    if (invoked !== undefined) {
      const base = address.slice(0, depthOf(gid))
      levels.push({ id: gid, address: base, info: undefined, isRootCause: false })
    }
    place = invoked?.place ?? ''
    at = hostOf(gid)
  }
  return levels
}

function level({ id, address, info }: ComponentMemo): Level {
  return { id, address, info, isRootCause: false }
}

/** How many segments the address of a graph instance has. */
function depthOf(gid: string): number {
  const host = hostOf(gid)
  if (host === undefined) return 0
  const around = depthOf(ownerOf(host)) + 1
  return around + placesAround(invokedAt(gid)?.place ?? '').length
}
