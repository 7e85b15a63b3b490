import { runInScope } from '../runtime/carrier.ts'
import type { TaskFrame } from '../runtime/engine.ts'
import { Scope } from '../runtime/scope.ts'
import type { GraphDefinition, SubgraphBody } from './definition.ts'
import { comparePosition } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { checkUpdate } from './node-result.ts'

type Values = Readonly<Record<string, unknown>>

/** What a subgraph gives the node it is: final values, and updates to fold one by one. */
export class SubgraphResult {
  readonly update: Values
  readonly folds: Readonly<Record<string, readonly unknown[]>>

  constructor(update: Values, folds: Readonly<Record<string, readonly unknown[]>>) {
    this.update = update
    this.folds = folds
  }
}

/** What a subgraph starts with: the keys both graphs have, unless a mapper says otherwise. */
export function subgraphInput(body: SubgraphBody, outer: GraphDefinition, state: Values): Values {
  if (body.input !== undefined) return body.input(state)
  const inner = body.graph.definition().channels
  return Object.fromEntries(
    inner.keys.filter((key) => outer.channels.has(key)).map((key) => [key, state[key]]),
  )
}

/** What a fan-out task of a subgraph starts with: its own input, and not the state around it. */
export function sentInput(body: SubgraphBody, input: Values): Values {
  const { name, channels } = body.graph.definition()
  return checkUpdate(body.input?.(input) ?? input ?? {}, channels, () => `the input of "${name}"`)
}

/** Keys that both fold: the outer graph folds each update of the inner one, so nothing counts twice. */
export function sharedFolds(body: SubgraphBody, outer: GraphDefinition): string[] {
  if (body.output !== undefined) return []
  const inner = body.graph.definition().channels
  return inner.keys.filter((key) => inner.folds(key) && outer.channels.folds(key))
}

/** What a finished subgraph gives back: the keys it changed, unless a mapper says otherwise. */
export function subgraphResult(
  inner: Instance,
  outer: GraphDefinition,
  body: SubgraphBody,
): unknown {
  const { current } = inner.state
  if (body.output !== undefined) return body.output(current.values)
  const folds: Record<string, unknown[]> = {}
  for (const { key, update } of [...inner.passedOn].toSorted(comparePosition))
    folds[key] = [...(folds[key] ?? []), update]
  const folded = new Set(sharedFolds(body, outer))
  const started = inner.definition.channels.keys.length
  const changed = Object.keys(current.values).filter(
    // Revisions of a new instance count from 1: a higher one was written by the subgraph itself.
    (key) => outer.channels.has(key) && !folded.has(key) && (current.revs[key] ?? 0) > started,
  )
  const update = Object.fromEntries(changed.map((key) => [key, current.values[key]]))
  return new SubgraphResult(
    checkUpdate(update, outer.channels, () => inner.definition.name),
    folds,
  )
}

/** Runs a subgraph's mapper, which may not ask. */
export function mapping<T>(frame: TaskFrame, body: () => T): T {
  return runInScope(new Scope(frame, frame.address, { unaskable: 'in a subgraph mapper' }), body)
}
