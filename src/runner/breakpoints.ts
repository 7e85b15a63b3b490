import type { ThreadMeta } from '../core/command.ts'
import { UnknownNameError } from '../core/errors.ts'
import type { Flow, FlowShape } from '../core/flow.ts'

/** Nodes of any depth that a thread stops at. */
export interface BreakpointNames {
  readonly breakBefore?: readonly string[] | undefined
  readonly breakAfter?: readonly string[] | undefined
}

/**
 * Where a thread stops: what this call says, else what the thread remembers, else what the runner was made
 * with. An empty list is something said. @throws UnknownNameError for a node the call names and nobody knows
 */
export function breakpointsOf(
  flow: Flow,
  said: BreakpointNames,
  remembered: readonly BreakpointNames[],
): Pick<ThreadMeta, 'breakBefore' | 'breakAfter'> {
  const breakBefore = first('breakBefore', [said, ...remembered])
  const breakAfter = first('breakAfter', [said, ...remembered])
  expectNodes(flow, [...(said.breakBefore ?? []), ...(said.breakAfter ?? [])])
  return {
    ...(breakBefore === undefined ? {} : { breakBefore }),
    ...(breakAfter === undefined ? {} : { breakAfter }),
  }
}

function first(
  which: keyof BreakpointNames,
  sources: readonly BreakpointNames[],
): readonly string[] | undefined {
  return sources.find((source) => source[which] !== undefined)?.[which]
}

function expectNodes(flow: Flow, names: readonly string[]): void {
  if (names.length === 0) return
  const shape = flow.describe()
  const known = nodesOf(shape)
  for (const name of names) {
    if (known.has(name)) continue
    throw new UnknownNameError({
      kind: 'node',
      name,
      where: `breakpoint of flow "${shape.name}"`,
      known: [...known],
    })
  }
}

function nodesOf({ nodes }: FlowShape): Set<string> {
  return new Set(
    nodes.flatMap(({ name, shape }) => [name, ...(shape === undefined ? [] : nodesOf(shape))]),
  )
}
