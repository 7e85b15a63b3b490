import { END } from './command.ts'
import type { NodeDefinition, Straight } from './definition.ts'
import type { Target } from './task.ts'

/** Where edges lead from each node, but for END. */
export function targetsOf(edges: ReadonlyMap<string, readonly string[]>): Map<string, Target[]> {
  return new Map(
    [...edges].map(([from, list]) => [
      from,
      list.filter((to) => to !== END).map((node) => ({ node })),
    ]),
  )
}

/** The plain nodes that lead to one other node, always. */
export function straightOf(
  nodes: ReadonlyMap<string, NodeDefinition>,
  targets: ReadonlyMap<string, readonly Target[]>,
  branches: ReadonlyMap<string, unknown>,
): Map<string, Straight> {
  const straight = new Map<string, Straight>()
  for (const [name, node] of nodes) {
    const [target, another] = targets.get(name) ?? []
    const to = target === undefined ? undefined : nodes.get(target.node)
    const { timeout, maxConcurrency } = node.options
    const isPlain = timeout === undefined && maxConcurrency === undefined && !branches.has(name)
    if (isPlain && to !== undefined && another === undefined) straight.set(name, { node, to })
  }
  return straight
}
