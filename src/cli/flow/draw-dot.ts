import type { FlowShape } from '../../core/flow.ts'
import { END, START } from '../../graph/command.ts'

/** A flow in the language of Graphviz; subgraphs are clusters. */
export function drawDot(shape: FlowShape): string[] {
  return ['digraph {', ...partsOf(shape, '').map((line) => `  ${line}`), '}']
}

function partsOf({ nodes, edges }: FlowShape, within: string): string[] {
  return [
    ...nodes.flatMap(({ name, shape }) => {
      const id = within + name
      if (shape === undefined) return [`${quoted(id)} [label=${quoted(name)}]`]
      return [
        `subgraph ${quoted(`cluster ${id}`)} {`,
        `  label=${quoted(name)}`,
        ...partsOf(shape, `${id}/`).map((line) => `  ${line}`),
        '}',
        `${quoted(id)} [label=${quoted(name)}, shape=box]`,
      ]
    }),
    ...edges.map(({ from, to, kind }) => {
      const style = kind === 'branch' ? ' [style=dashed]' : ''
      return `${quoted(nameOf(from, within))} -> ${quoted(nameOf(to, within))}${style}`
    }),
  ]
}

function nameOf(node: string, within: string): string {
  if (node === START) return `${within}start`
  return node === END ? `${within}end` : within + node
}

function quoted(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`
}
