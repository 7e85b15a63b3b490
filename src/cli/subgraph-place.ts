import { formatAddress, type Address } from '../core/address.ts'
import { UnknownNameError } from '../core/errors.ts'
import type { ThreadReader } from '../runner/thread-reader.ts'

/**
 * The subgraph that `--in` names: by the names of its nodes (`review/draft`, `review:E-104/draft` in a fan-out), or by its
 * address as it is shown. @throws UnknownNameError
 */
export async function placeIn(
  reader: Pick<ThreadReader, 'graphs'>,
  threadId: string,
  text: string | undefined,
): Promise<Address | undefined> {
  if (text === undefined) return undefined
  const graphs = await reader.graphs(threadId)
  const found = graphs.findLast(
    (address) => namesOf(address) === text || formatAddress(address, '/') === text,
  )
  if (found !== undefined) return found
  throw new UnknownNameError({
    kind: 'subgraph',
    name: text,
    where: `thread "${threadId}"`,
    known: graphs.map(namesOf),
  })
}

function namesOf(address: Address): string {
  return address.map(({ id, subId }) => (subId === undefined ? id : `${id}:${subId}`)).join('/')
}
