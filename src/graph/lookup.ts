import { formatAddress } from '../core/address.ts'
import { UnknownNameError } from '../core/errors.ts'
import type { TaskFrame, TaskOwner } from '../runtime/engine.ts'
import { hostOf, lineage, ownerOf } from '../runtime/restored.ts'

/** Who looks: code of a task, or of the graph `gid` (a router). */
export interface Looking {
  readonly frame: TaskFrame
  readonly gid?: string
}

/**
 * The value of a state key in the nearest graph that declares it, the innermost first.
 * @throws UnknownNameError when none does
 */
export function lookUp({ frame, gid }: Looking, key: string): unknown {
  const known: string[] = []
  for (const { owner, task } of graphsAround({ frame, ...(gid === undefined ? {} : { gid }) })) {
    if (owner.keys.includes(key)) return owner.read(key, task)
    known.push(...owner.keys)
  }
  const where = formatAddress(frame.address) || 'the flow'
  throw new UnknownNameError({ kind: 'state key', name: key, where, known: [...new Set(known)] })
}

function* graphsAround({
  frame,
  gid,
}: Looking): Generator<{ readonly owner: TaskOwner; readonly task?: string }> {
  const { owners } = frame.run
  const own = gid === undefined ? undefined : owners.get(gid)
  if (own !== undefined) yield { owner: own }
  const inner = gid === undefined ? frame.id : hostOf(gid)
  for (const task of inner === undefined ? [] : lineage(inner)) {
    const owner = owners.get(ownerOf(task))
    if (owner !== undefined) yield { owner, task }
  }
}
