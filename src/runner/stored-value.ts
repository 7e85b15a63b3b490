import { decodeName } from '../core/encoded-name.ts'
import { lineage } from '../runtime/restored.ts'

/** What a stored value is. */
export type StoredValueKind =
  /** A value of a graph's state: under `key`. */
  | 'state'
  /** What a node wrote to the state under `key`, not yet folded in. */
  | 'update'
  /** Own input of a task, or of the whole thread. */
  | 'input'
  /** Output of the whole thread. */
  | 'output'
  /** Result of a step. */
  | 'step'
  /** What a component kept; under `info`, what a composite says of itself. */
  | 'component'
  /** Payload, default or metadata of a question: under `key`. */
  | 'question'
  /** An answer that was given. */
  | 'answer'

/** Where a stored value was found. */
export interface StoredValuePlace {
  readonly kind: StoredValueKind
  /** State key, step name, part of a question. */
  readonly key?: string
  /** Nodes around the value, outermost first; none in the state of the flow itself. */
  readonly nodes: readonly string[]
  /** Key of the record, or id of the question; for messages. */
  readonly record: string
}

/** Gives the new value, or undefined where nothing is to change. */
export type Migrate = (value: unknown, where: StoredValuePlace) => unknown

/** The new value of one that was found. */
export type Rewrite = (value: unknown, kind: StoredValueKind, key?: string) => unknown

/** Nodes a task or graph instance stands in, outermost first. */
export function nodesAround(task: string): string[] {
  if (task === '/') return []
  return lineage(task)
    .toReversed()
    .map((id) => {
      const local = id.slice(id.lastIndexOf('/') + 1)
      return decodeName(local.slice(0, local.indexOf('@')))
    })
}
