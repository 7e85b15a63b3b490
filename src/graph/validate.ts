import { nearest } from '../core/nearest.ts'
import { END, START } from './command.ts'
import type { GraphDefinition } from './definition.ts'
import { reachableFrom, reaching } from './reach.ts'

/** The parts as they were added, before anybody checked them. */
export interface Parts {
  readonly nodes: readonly string[]
  readonly edges: readonly (readonly [from: string, to: string])[]
  readonly branches: readonly { readonly from: string; readonly targets: readonly string[] }[]
  readonly joins: readonly { readonly node: string; readonly from: readonly string[] }[]
  readonly breaks: readonly string[]
}

const RESERVED: ReadonlySet<string> = new Set([START, END, '__proto__', 'constructor', 'prototype'])

/** Everything that is wrong with a graph, each problem naming its parts. */
export function findProblems(parts: Parts, definition: GraphDefinition): string[] {
  const problems = [...nameProblems(parts), ...endProblems(parts), ...duplicateProblems(parts)]
  return problems.length > 0 ? problems : shapeProblems(definition)
}

function nameProblems({ nodes }: Parts): string[] {
  if (nodes.length === 0) return ['it has no nodes']
  const seen = new Set<string>()
  return nodes.flatMap((name) => {
    if (name === '') return ['a node has an empty name']
    if (RESERVED.has(name)) return [`node name "${name}" is reserved`]
    if (seen.has(name)) return [`node "${name}" is there twice`]
    seen.add(name)
    return []
  })
}

function endProblems({ nodes, edges, branches, joins, breaks }: Parts): string[] {
  const unknown = (name: string, where: string, extra: readonly string[]): string[] => {
    if (nodes.includes(name) || extra.includes(name)) return []
    const near = nearest(name, [...nodes, ...extra])
    return [
      `${where} names unknown node "${name}"${near === undefined ? '' : `, did you mean "${near}"?`}`,
    ]
  }
  return [
    ...edges.flatMap(([from, to]) => [
      ...(from === END
        ? ['an edge leads out of END']
        : unknown(from, `edge ${from} → ${to}`, [START])),
      ...(to === START ? ['an edge leads into START'] : unknown(to, `edge ${from} → ${to}`, [END])),
    ]),
    ...branches.flatMap(({ from, targets }) => [
      ...unknown(from, `branch of ${from}`, [START]),
      ...(targets.length === 0 ? [`branch of ${from} has no targets`] : []),
      ...targets.flatMap((to) => unknown(to, `branch of ${from}`, [END])),
    ]),
    ...joins.flatMap(({ node, from }) => [
      ...unknown(node, `join into ${node}`, []),
      ...(from.length === 0 ? [`join into ${node} waits for nothing`] : []),
      ...from.flatMap((name) => unknown(name, `join into ${node}`, [])),
    ]),
    ...breaks.flatMap((name) => unknown(name, 'a breakpoint', [])),
  ]
}

function duplicateProblems({ edges, joins }: Parts): string[] {
  const seen = new Set<string>()
  const twice = edges.flatMap(([from, to]) => {
    const slot = JSON.stringify([from, to])
    if (seen.has(slot)) return [`edge ${from} → ${to} is there twice`]
    seen.add(slot)
    return []
  })
  const joined = joins.flatMap(({ node, from }) =>
    from
      .filter((name) => seen.has(JSON.stringify([name, node])))
      .map((name) => `${name} → ${node} is an edge and a join`),
  )
  const nodes = joins.map(({ node }) => node)
  const repeated = nodes
    .filter((node, index) => nodes.indexOf(node) !== index)
    .map((node) => `join into ${node} is there twice`)
  return [...twice, ...joined, ...repeated]
}

function shapeProblems(definition: GraphDefinition): string[] {
  const names = [...definition.nodes.keys()]
  const reached = reachableFrom(definition, START)
  const lost = names.filter((name) => !reached.has(name))
  const unreachable = lost.map(
    (name) =>
      `node "${name}" is never reached from START (declare where commands jump with { ends: ["${name}"] })`,
  )
  const ending = reaching(definition, END)
  const stuck = names.filter((name) => reached.has(name) && !ending.has(name))
  if (stuck.length === 0) return unreachable
  const cyclic = stuck.filter((name) => leadsBack(definition, name))
  const endless = cyclic.length > 0 ? [`the cycle ${cyclic.join(' → ')} has no exit`] : []
  const dead = stuck.filter(
    (name) =>
      !cyclic.includes(name) && !cyclic.some((other) => reachableFrom(definition, name).has(other)),
  )
  return [
    ...unreachable,
    ...endless,
    ...dead.map(
      (name) => `node "${name}" has no way to END (add an edge to END, or { ends } if it jumps)`,
    ),
  ]
}

function leadsBack(definition: GraphDefinition, name: string): boolean {
  const { edges, branches, joins, nodes } = definition
  const after = reachableFrom(definition, name)
  for (const from of after) {
    const next = [
      ...(edges.get(from) ?? []),
      ...(branches.get(from) ?? []).flatMap(({ targets }) => targets),
      ...joins.filter((join) => join.from.includes(from)).map(({ node }) => node),
      ...(nodes.get(from)?.options.ends ?? []),
    ]
    if (next.includes(name)) return true
  }
  return false
}
