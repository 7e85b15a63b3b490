// Updates that no task wrote: a caller's, a start hook's.

import type { Instance } from './instance.ts'
import { checkUpdate } from './node-result.ts'
import type { Records } from './records.ts'

/** The graph instance that is changed, and what is kept of it. */
export interface AsideTarget {
  readonly instance: Instance
  readonly records: Records
  /** Keys whose updates the graph around folds one by one. */
  readonly passOn: readonly string[]
}

/**
 * Folds an update in on top of what was written so far; what tasks that still wait will write comes on top
 * of it. It is kept once the records take it in.
 */
export function foldAside(
  instance: Instance,
  node: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { steps, definition, run, state } = instance
  const update = checkUpdate(given, definition.channels, () => node)
  // Between two supersteps: it is in conflict with nobody's write.
  const at = { step: steps + 0.5, order: [], task: `${steps}+${run.version}` }
  state.fold([{ ...at, node, updates: [update] }])
  return update
}

/** An update of a key that the graph around folds too is handed on to it: before what waiting tasks will write. */
export function passAside(
  { instance, records, passOn }: AsideTarget,
  update: Readonly<Record<string, unknown>>,
): void {
  const first = Math.min(instance.steps + 1, ...[...instance.tasks.values()].map(stepOf))
  for (const [key, value] of Object.entries(update)) {
    if (!passOn.includes(key)) continue
    records.passOn({ step: first - 0.5, order: [], key, update: value })
  }
}

function stepOf({ step }: { readonly step: number }): number {
  return step
}
