import type { FlowShape } from '../core/flow.ts'
import { END, START } from './command.ts'

/** The flow as a Mermaid flowchart: branches dotted, joins thick, subgraphs as boxes. */
export function mermaidOf(shape: FlowShape): string {
  return ['flowchart TD', ...linesOf(shape, '', '  ')].join('\n')
}

function linesOf(shape: FlowShape, prefix: string, indent: string): string[] {
  const ids = new Map(
    [START, ...shape.nodes.map(({ name }) => name), END].map((name, index) => [
      name,
      `${prefix}n${index}`,
    ]),
  )
  const idOf = (name: string): string => ids.get(name) ?? `${prefix}unknown`
  const nodes = shape.nodes.flatMap(({ name, shape: inner }) =>
    inner === undefined
      ? [`${indent}${idOf(name)}["${escapeText(name)}"]`]
      : [
          `${indent}subgraph ${idOf(name)}["${escapeText(name)}"]`,
          ...linesOf(inner, `${idOf(name)}_`, `${indent}  `),
          `${indent}end`,
        ],
  )
  const arrows = { edge: '-->', branch: '-.->', join: '==>' } as const
  return [
    `${indent}${idOf(START)}(["start"])`,
    ...nodes,
    `${indent}${idOf(END)}(["end"])`,
    ...shape.edges.map(
      ({ from, to, kind }) => `${indent}${idOf(from)} ${arrows[kind]} ${idOf(to)}`,
    ),
  ]
}

function escapeText(text: string): string {
  return text.replace(/[&"<>#`\n\r]/gu, (char) => `#${char.codePointAt(0) ?? 63};`)
}
