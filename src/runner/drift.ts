import { segment, type Address } from '../core/address.ts'
import { decodeName } from '../core/encoded-name.ts'
import { FlowChangedError } from '../core/errors.ts'
import type { FlowShape, NodeShape } from '../core/flow.ts'
import { nearest } from '../core/nearest.ts'
import type { StoredThread } from '../core/store.ts'
import { hostOf, lineage, ownerOf } from '../runtime/restored.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { metaOf, questionOf } from './thread-record.ts'

/**
 * Every place where the thread stands must still exist in the flow.
 * @throws FlowChangedError with the old and the nearest new name
 */
export function expectPlaces(thread: StoredThread, flow: Runnable): void {
  for (const { address, where } of placesOf(thread)) {
    const located = flow.locate(address)
    if (located.found) continue
    const near = nearest(located.name, located.known)
    throw new FlowChangedError(
      `Flow "${flow.name}" no longer has node "${located.name}", where thread "${thread.head.id}" ${where}`,
      { node: located.name, known: located.known, ...(near === undefined ? {} : { near }) },
      near === undefined
        ? `Restore it, cancel the thread, or go on at another node: hexagon update ${thread.head.id} --goto <node>. Nodes now: ${located.known.join(', ')}.`
        : `Did "${located.name}" become "${near}"? Restore the name, cancel the thread, or go on there: hexagon update ${thread.head.id} --goto ${near}.`,
    )
  }
  const changed = changedKind(thread, flow)
  if (changed === undefined) return
  const { node, was, is } = changed
  throw new FlowChangedError(
    `Node "${node}" of flow "${flow.name}", where thread "${thread.head.id}" waits, was a ${was} and is a ${is} now`,
    { node, was, is },
    'Restore it, cancel the thread, or go on at another node: hexagon update <thread> --goto <node>.',
  )
}

interface ChangedKind {
  readonly node: string
  readonly was: NodeShape['kind']
  readonly is: NodeShape['kind']
}

/** A node that asks and was code and is a graph now, or the other way round: nobody comes to its question. */
function changedKind(thread: StoredThread, flow: Runnable): ChangedKind | undefined {
  const before = shapeOf(metaOf(thread.head).shape)
  if (before === undefined) return undefined
  const now = flow.describe()
  for (const { address } of asking(thread)) {
    const names = address.filter(({ type }) => type === 'node').map(({ id }) => id)
    const changed = kindDiffersAt(names, before, now)
    if (changed !== undefined) return changed
  }
  return undefined
}

function kindDiffersAt(
  [first, ...rest]: readonly string[],
  before: FlowShape,
  now: FlowShape,
): ChangedKind | undefined {
  const old = before.nodes.find(({ name }) => name === first)
  const node = now.nodes.find(({ name }) => name === first)
  if (old === undefined || node === undefined) return undefined
  if (old.kind !== node.kind) return { node: node.name, was: old.kind, is: node.kind }
  if (old.shape === undefined || node.shape === undefined) return undefined
  return kindDiffersAt(rest, old.shape, node.shape)
}

function shapeOf(stored: unknown): FlowShape | undefined {
  const isShape =
    typeof stored === 'object' &&
    stored !== null &&
    'nodes' in stored &&
    Array.isArray(stored.nodes)
  return isShape ? (stored as FlowShape) : undefined
}

interface Place {
  readonly address: Address
  readonly where: string
}

function placesOf(thread: StoredThread): Place[] {
  const planned = innermost(thread).map((task) => ({ address: addressOf(task), where: 'goes on' }))
  return [...asking(thread), ...planned]
}

/** The tasks that name every node the thread stands at, but for those below a graph that code invokes. */
function innermost(thread: StoredThread): string[] {
  const tasks = [...thread.records.keys()]
    .filter((key) => key.startsWith('t ') && !key.includes('!'))
    .map((key) => key.slice(2))
  const around = new Set(tasks.map((task) => hostOf(ownerOf(task))))
  return tasks.filter((task) => !around.has(task))
}

function asking(thread: StoredThread): Place[] {
  return thread.interrupts
    .filter(({ status, body }) => (status === 'open' || status === 'answered') && body !== '')
    .map((row) => ({ address: questionOf(row).address, where: 'waits' }))
}

/** The nodes a task id names, outermost first. */
function addressOf(task: string): Address {
  return lineage(task)
    .toReversed()
    .map((id) => {
      const local = id.slice(id.lastIndexOf('/') + 1)
      return segment('node', decodeName(local.slice(0, local.lastIndexOf('@'))))
    })
}
