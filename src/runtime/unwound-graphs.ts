import type { TaskFrame } from './engine.ts'
import { invokedAt } from './restored.ts'

/**
 * Graphs invoked in a task that wait for components' signals alone are unwound as those were: what gathers them in
 * the task is saved while they wait, and not only when the process comes to rest. True when some were.
 */
export function unwindsGraphs({ run, id, hosted }: TaskFrame): boolean {
  if (!run.questions.waitsForSignals(id)) return false
  const waiting = [...hosted]
    .filter((gid) => invokedAt(gid) !== undefined)
    .flatMap((gid) => run.owners.get(gid) ?? [])
    .filter(({ waits }) => waits)
  for (const graph of waiting) graph.letGo()
  return waiting.length > 0
}
