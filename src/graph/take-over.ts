import { ROOT } from '../runtime/restored.ts'
import type { Instance } from './instance.ts'
import type { Records } from './records.ts'

/** Takes over what an earlier process left of a graph instance; false when it left nothing. */
export function takeOver(instance: Instance, records: Records): boolean {
  const { run, host, definition, joins, passedOn } = instance
  const stored = run.restored.graph(host.gid)
  const restored = records.restore(stored, definition)
  if (restored === undefined) return false
  instance.state = restored.state
  instance.steps = restored.head.steps
  joins.load(restored.head.joins, restored.head.past)
  passedOn.push(...restored.passedOn)
  for (const text of stored.tasks) instance.adopt(records.restoreTask(text))
  if (host.gid === ROOT) run.steps = Math.max(run.steps, restored.head.steps)
  return true
}
