import { sameAddress, type Address, type SegmentType } from '../core/address.ts'
import { canonical } from '../core/canonical.ts'
import { seal } from '../core/seal.ts'
import { createSignal, type InterruptSignal } from './signal.ts'

/** A node of a signal's tree, seen from outside. */
export interface SignalContext {
  readonly id: string
  readonly address: Address
  readonly info: unknown
  /** True for a leaf: the point that really asks. */
  readonly isRootCause: boolean
  /** What gathered this one; `null` at the top. Siblings share the same object. */
  readonly parent: SignalContext | null
}

/** Every node with `{ all: true }`; leaves only otherwise. */
export interface ContextScope {
  readonly all?: boolean
}

/** The tree's nodes as two maps that `populateResumeInfo` takes again. A node without state has an `undefined` one. */
export interface PersistenceMaps {
  readonly id2Addr: Record<string, Address>
  readonly id2State: Record<string, unknown>
}

/** Every node of a tree, parents before children, in order. */
export function nodesOf(signal: InterruptSignal): InterruptSignal[] {
  const nodes: InterruptSignal[] = []
  const rest = [signal]
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    nodes.push(node)
    rest.push(...node.subs.toReversed())
  }
  return nodes
}

/** Flattens a tree: where each of its nodes is, and the state each keeps. */
export function signalToPersistenceMaps(signal: InterruptSignal): PersistenceMaps {
  const nodes = nodesOf(signal)
  return {
    id2Addr: Object.fromEntries(nodes.map(({ id, address }) => [id, address])),
    id2State: Object.fromEntries(nodes.map(({ id, state }) => [id, state?.value])),
  }
}

/**
 * What a tree asks: its leaves in order, or every node with `{ all: true }`. Segment types narrow what is
 * seen: nodes of other types are left out, and so are their segments in every address.
 */
export function toInterruptContexts(
  signal: InterruptSignal,
  ...filter: readonly (SegmentType | ContextScope)[]
): SignalContext[] {
  const types = filter.filter((entry) => typeof entry === 'string')
  const all = filter.some((entry) => typeof entry === 'object' && entry.all === true)
  const seen: SignalContext[] = []
  const rest: { node: InterruptSignal; parent: SignalContext | null }[] = [
    { node: signal, parent: null },
  ]
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const context = contextOf(at.node, at.parent, types)
    if (context !== undefined && (all || context.isRootCause)) seen.push(context)
    const parent = context ?? at.parent
    for (const node of at.node.subs.toReversed()) rest.push({ node, parent })
  }
  return seen
}

function contextOf(
  { id, address, info, isRootCause }: InterruptSignal,
  parent: SignalContext | null,
  types: readonly SegmentType[],
): SignalContext | undefined {
  if (types.length === 0) return { id, address, info, isRootCause, parent }
  const last = address.at(-1)
  if (last === undefined || !types.includes(last.type)) return undefined
  const visible = address.filter(({ type }) => types.includes(type))
  return { id, address: visible, info, isRootCause, parent }
}

/** The tree that contexts came from; undefined for none. Contexts without a common top get one. */
export function fromInterruptContexts(
  contexts: readonly SignalContext[],
): InterruptSignal | undefined {
  const children = new Map<string, SignalContext[]>()
  const tops: SignalContext[] = []
  const known = new Set<string>()
  const rest = contexts.toReversed()
  for (let context = rest.pop(); context !== undefined; context = rest.pop()) {
    if (known.has(context.id)) continue
    known.add(context.id)
    const { parent } = context
    if (parent === null) {
      tops.push(context)
      continue
    }
    const siblings = children.get(parent.id)
    if (siblings === undefined) children.set(parent.id, [context])
    else siblings.push(context)
    rest.push(parent)
  }
  const [top, ...others] = tops.map((context) => signalOf(context, children))
  if (top === undefined || others.length === 0) return top
  return createSignal({
    id: '',
    address: commonAddress(tops),
    info: undefined,
    subs: [top, ...others],
  })
}

function signalOf(
  { id, address, info }: SignalContext,
  children: ReadonlyMap<string, readonly SignalContext[]>,
): InterruptSignal {
  const subs = (children.get(id) ?? []).map((child) => signalOf(child, children))
  return createSignal({ id, address, info: seal(info, 'info'), subs })
}

function commonAddress(contexts: readonly SignalContext[]): Address {
  const [first, ...others] = contexts.map(({ address }) => address)
  const shared = (first ?? []).findIndex(
    (_, index) =>
      !others.every((other) =>
        sameAddress(other.slice(0, index + 1), (first ?? []).slice(0, index + 1)),
      ),
  )
  return shared === -1 ? (first ?? []) : (first ?? []).slice(0, shared)
}

/** True when two contexts say the same, whatever their ids and those of their parents; two absent ones do. */
export function sameInterruptContext(
  a: SignalContext | null | undefined,
  b: SignalContext | null | undefined,
): boolean {
  let left = a ?? null
  let right = b ?? null
  while (left !== null && right !== null) {
    if (left.isRootCause !== right.isRootCause || !sameAddress(left.address, right.address))
      return false
    if (canonical(left.info) !== canonical(right.info)) return false
    left = left.parent
    right = right.parent
  }
  return left === right
}
