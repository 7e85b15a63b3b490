import type { EdgeShape, FlowShape } from '../../core/flow.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { END } from '../../graph/command.ts'
import { oneLine } from '../terminal/safe.ts'

/**
 * What an answer sets going, as part of a sentence: `review goes on, then rollout or the end`.
 * Undefined when the question does not stand in a node.
 */
export function nextNodes(interrupt: Interrupt, shape: unknown): string | undefined {
  const node = interrupt.address.find(({ type }) => type === 'node')?.id
  if (node === undefined) return undefined
  const going = `${toolRuns(interrupt)}${oneLine(node)} goes on`
  if (!isFlowShape(shape) || !shape.nodes.some(({ name }) => name === node)) return going
  const edges = shape.edges.filter(({ from }) => from === node)
  return `${going}, then ${edges.length === 0 ? 'it decides where to go' : following(edges)}`
}

/** A tool call that was asked about runs before its node goes on. */
function toolRuns({ address, kind }: Interrupt): string {
  const tool = address.findLast(({ type }) => type === 'tool')
  return tool === undefined || kind !== 'approval' ? '' : `the tool ${oneLine(tool.id)} runs, `
}

function following(edges: readonly EdgeShape[]): string {
  const always = edges.filter(({ kind }) => kind !== 'branch').map(({ to }) => nameOf(to))
  const maybe = edges.filter(({ kind }) => kind === 'branch').map(({ to }) => nameOf(to))
  return [...always, ...(maybe.length === 0 ? [] : [maybe.join(' or ')])].join(', ')
}

function nameOf(node: string): string {
  return node === END ? 'the end' : oneLine(node)
}

function isFlowShape(value: unknown): value is FlowShape {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(Reflect.get(value, 'edges')) && Array.isArray(Reflect.get(value, 'nodes'))
}
