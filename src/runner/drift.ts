import { segment, type Address } from '../core/address.ts'
import { FlowChangedError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { StoredThread } from '../core/store.ts'
import { lineage } from '../runtime/restored.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { questionOf } from './thread-record.ts'

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
        ? `Restore it, or cancel the thread. Nodes now: ${located.known.join(', ')}.`
        : `Did "${located.name}" become "${near}"? Restore the name, or cancel the thread.`,
    )
  }
}

interface Place {
  readonly address: Address
  readonly where: string
}

function placesOf(thread: StoredThread): Place[] {
  const asking = thread.interrupts
    .filter(({ status, body }) => (status === 'open' || status === 'answered') && body !== '')
    .map((row): Place => ({ address: questionOf(row).address, where: 'waits' }))
  const planned = [...thread.records.keys()]
    .filter((key) => key.startsWith('t '))
    .flatMap((key): Place[] => {
      const address = addressOfTask(key.slice(2))
      return address === undefined ? [] : [{ address, where: 'goes on' }]
    })
  return [...asking, ...planned]
}

/** The nodes a task id names, outermost first; undefined below a graph that code invokes. */
function addressOfTask(task: string): Address | undefined {
  if (task.includes('!')) return undefined
  return lineage(task)
    .toReversed()
    .map((id) => {
      const local = id.slice(id.lastIndexOf('/') + 1)
      return segment('node', decodeURIComponent(local.slice(0, local.lastIndexOf('@'))))
    })
}
