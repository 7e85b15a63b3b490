import type { EdgeShape, FlowShape } from '../../core/flow.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { END } from '../../graph/command.ts'
import { oneLine } from '../terminal/safe.ts'

/**
 * What an answer sets going, as a sentence: `review goes on, then rollout`. Undefined when the
 * thread does not say how its flow is made.
 */
export function nextNodes(interrupt: Interrupt, shape: unknown): string | undefined {
  const node = interrupt.address.find(({ type }) => type === 'node')?.id
  if (node === undefined) return undefined
  const going = `${oneLine(node)} goes on${tools(interrupt)}`
  if (!isFlowShape(shape)) return going
  const edges = shape.edges.filter(({ from }) => from === node)
  return edges.length === 0
    ? `${going}, then it decides where to go`
    : `${going}, then ${following(edges)}`
}

/** The tool call that was asked about runs before its node goes on. */
function tools({ address, kind }: Interrupt): string {
  const tool = address.findLast(({ type }) => type === 'tool')
  return tool === undefined || kind !== 'approval'
    ? ''
    : ` and runs the tool ${oneLine(tool.id)} on approval`
}

function following(edges: readonly EdgeShape[]): string {
  const always = edges.filter(({ kind }) => kind !== 'branch').map(({ to }) => nameOf(to))
  const maybe = edges.filter(({ kind }) => kind === 'branch').map(({ to }) => nameOf(to))
  const either =
    maybe.length === 0 ? [] : [maybe.length === 1 ? maybe.join('') : `one of ${maybe.join(', ')}`]
  return [...always, ...either].join(', ')
}

function nameOf(node: string): string {
  return node === END ? 'the end' : oneLine(node)
}

function isFlowShape(value: unknown): value is FlowShape {
  return (
    typeof value === 'object' && value !== null && 'edges' in value && Array.isArray(value.edges)
  )
}
