import { START } from './command.ts'
import type { GraphDefinition } from './definition.ts'

type Links = Pick<GraphDefinition, 'nodes' | 'edges' | 'branches' | 'joins'>

/** Every declared way on from a node: edges, branch targets, joins, declared jumps. */
export function nextOf({ nodes, edges, branches, joins }: Links, from: string): string[] {
  return [
    ...(edges.get(from) ?? []),
    ...(branches.get(from) ?? []).flatMap(({ targets }) => targets),
    ...joins.filter((join) => join.from.includes(from)).map(({ node }) => node),
    ...(nodes.get(from)?.options.ends ?? []),
  ]
}

/** Everything reachable from `start`, itself included. */
export function reachableFrom(links: Links, start: string): Set<string> {
  const seen = new Set([start])
  for (const at of seen) for (const next of nextOf(links, at)) seen.add(next)
  return seen
}

/** Everything from which `end` can be reached, itself included. */
export function reaching(links: Links, end: string): Set<string> {
  return new Set(distancesTo(links, end).keys())
}

/** How many supersteps lie between a node and `target`, by the shortest way that does not pass `around`. */
export function distancesTo(links: Links, target: string, around?: string): Map<string, number> {
  const before = new Map<string, string[]>()
  for (const from of [START, ...links.nodes.keys()]) {
    if (from === around) continue
    for (const to of nextOf(links, from)) before.set(to, [...(before.get(to) ?? []), from])
  }
  const distance = new Map([[target, 0]])
  for (const [at, far] of distance) {
    for (const from of before.get(at) ?? []) if (!distance.has(from)) distance.set(from, far + 1)
  }
  return distance
}
