import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import type { EdgeShape, FlowShape, NodeShape } from '../../core/flow.ts'
import type { OpenFlow } from './open-flow.ts'

/** How a flow differs from what it was when the thread was saved. */
export type Drift =
  | { readonly kind: 'none' }
  /** Other code, the same nodes and edges. */
  | { readonly kind: 'files' }
  | { readonly kind: 'shape'; readonly changes: readonly string[] }

/** Compares a flow with what the thread keeps of it. */
export function driftOf({ meta }: ThreadView, flow: OpenFlow): Drift {
  const changes = meta.shape === undefined ? [] : shapeChanges(meta.shape, flow.runnable.describe())
  if (changes.length > 0) return { kind: 'shape', changes }
  return meta.files === undefined || meta.files === flow.fingerprint
    ? { kind: 'none' }
    : { kind: 'files' }
}

/** The refusal to go on with other nodes and edges. */
export function shapeChanged(
  threadId: string,
  path: string,
  changes: readonly string[],
): HexagonError {
  return new HexagonError(
    'E1305',
    `${path} changed since ${threadId} was saved: ${changes.join(', ')}`,
    {
      hint: '--allow-changed to go on',
      details: { threadId, file: path, changes },
    },
  )
}

function shapeChanges(stored: unknown, now: FlowShape): string[] {
  if (!isShape(stored)) return []
  const before = partsOf(stored)
  const after = partsOf(now)
  return [
    ...[...after].filter((part) => !before.has(part)).map((part) => `+ ${part}`),
    ...[...before].filter((part) => !after.has(part)).map((part) => `- ${part}`),
  ]
}

/** Every node and edge as a text, those of subgraphs under the node's name. */
function partsOf({ nodes, edges }: FlowShape, within = ''): Set<string> {
  return new Set([
    ...nodes.flatMap((node) => nodeParts(node, within)),
    ...edges.map(({ from, to, kind }: EdgeShape) => `${kind} ${within}${from}→${within}${to}`),
  ])
}

function nodeParts({ name, shape }: NodeShape, within: string): string[] {
  const inner = shape === undefined ? [] : [...partsOf(shape, `${within}${name}/`)]
  return [`node ${within}${name}`, ...inner]
}

/** True for what a thread keeps of its flow. */
export function isShape(value: unknown): value is FlowShape {
  return (
    typeof value === 'object' &&
    value !== null &&
    'nodes' in value &&
    Array.isArray(value.nodes) &&
    'edges' in value &&
    Array.isArray(value.edges)
  )
}
