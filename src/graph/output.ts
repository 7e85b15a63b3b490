import type { GraphDefinition } from './definition.ts'
import { readable, type Snapshot } from './graph-state.ts'

/** What a finished graph gives: `output(state)`, or its state. */
export function outputOf(definition: GraphDefinition, final: Snapshot): unknown {
  const state = readable(final)
  return definition.output === undefined ? state : definition.output(state as never)
}
