// The subgraphs in which a stored thread stands, and where each is.

import { formatAddress, sameAddress, segment, type Address } from '../core/address.ts'
import { UnknownNameError } from '../core/errors.ts'
import type { StoredThread } from '../core/store.ts'
import { invokedAt, ownerOf, ROOT } from '../runtime/restored.ts'
import { parse } from './thread-record.ts'

/** A subgraph that has begun and not ended. */
export interface InnerGraph {
  readonly gid: string
  readonly address: Address
}

/** The subgraphs of a thread, in the order of their records. One that a node's code invokes is none. */
export function graphsIn({ records }: StoredThread): InnerGraph[] {
  return [...records.keys()].flatMap((key) => {
    const gid = key.startsWith('g ') ? key.slice(2) : ROOT
    const address = gid === ROOT ? undefined : addressOf(gid, records)
    return address === undefined ? [] : [{ gid, address }]
  })
}

/** The graph instance at an address; of several visits of one node the last. @throws UnknownNameError */
export function graphAt(thread: StoredThread, within: Address): string {
  if (within.length === 0) return ROOT
  const graphs = graphsIn(thread)
  const found = graphs.findLast(({ address }) => sameAddress(address, within))
  if (found !== undefined) return found.gid
  throw new UnknownNameError({
    kind: 'subgraph',
    name: formatAddress(within, '/'),
    where: `thread "${thread.head.id}"`,
    known: graphs.map(({ address }) => formatAddress(address, '/')),
  })
}

/** The address of a task that is a subgraph; undefined where a node's code invoked a graph around it. */
function addressOf(task: string, records: StoredThread['records']): Address | undefined {
  const text = records.get(`t ${task}`)
  const owner = ownerOf(task)
  if (text === undefined || invokedAt(owner) !== undefined) return undefined
  const around = owner === ROOT ? [] : addressOf(owner, records)
  const { node, subId } = parse<{ node: string; subId?: string }>(text, task)
  return around === undefined ? undefined : [...around, segment('node', node, subId)]
}
