import type { FlowShape } from '../../core/flow.ts'
import { END, START } from '../../graph/command.ts'
import { oneLine } from '../terminal/safe.ts'
import type { Symbols } from '../terminal/symbols.ts'

/** What is written behind a node's name, by node. */
export type NodeMarks = ReadonlyMap<string, string>

interface Rails {
  readonly last: string
  readonly more: string
  readonly pass: string
  readonly again: string
  readonly to: string
}

const RAILS: Readonly<Record<Symbols['kind'], Rails>> = {
  unicode: { last: '└─ ', more: '├─ ', pass: '│  ', again: '↺ to ', to: '→ ' },
  ascii: { last: '`- ', more: '|- ', pass: '|  ', again: '^ to ', to: '> ' },
}

interface Visit {
  readonly node: string
  readonly rail: string
  readonly indent: string
  readonly above: Trail | undefined
}

/** The nodes from here up to the start. */
interface Trail {
  readonly node: string
  readonly above: Trail | undefined
}

/** A flow as a tree of lines: a node stands where it is first reached; later only its name does. */
export function drawFlow(
  shape: FlowShape,
  symbols: Pick<Symbols, 'kind'>,
  marks: NodeMarks = new Map(),
): string[] {
  const rails = RAILS[symbols.kind]
  const next = successors(shape)
  const drawn = new Set<string>()
  const lines: string[] = []
  // A list instead of recursion: a line of ten thousand nodes is as deep as that.
  const waiting: Visit[] = [{ node: START, rail: '', indent: '', above: undefined }]
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { node, rail, indent, above } = visit
    lines.push(rail + textOf(node, { above, drawn, rails, marks }))
    const isNew = !drawn.has(node) && !isIn(above, node)
    drawn.add(node)
    if (isNew)
      waiting.push(...childrenOf(visit, next.get(node) ?? [], { rails, indent }).toReversed())
  }
  return lines
}

function childrenOf(
  { node, above }: Visit,
  names: readonly string[],
  { rails, indent }: { readonly rails: Rails; readonly indent: string },
): Visit[] {
  return names.map((name, index) => {
    const isLast = index === names.length - 1
    return {
      node: name,
      rail: indent + (isLast ? rails.last : rails.more),
      indent: indent + (isLast ? '   ' : rails.pass),
      above: { node, above },
    }
  })
}

interface Drawing {
  readonly above: Trail | undefined
  readonly drawn: ReadonlySet<string>
  readonly rails: Rails
  readonly marks: NodeMarks
}

function textOf(node: string, { above, drawn, rails, marks }: Drawing): string {
  if (node === START) return 'start'
  if (node === END) return 'end'
  const name = oneLine(node)
  if (isIn(above, node)) return rails.again + name
  if (drawn.has(node)) return rails.to + name
  const mark = marks.get(node)
  return mark === undefined ? name : `${name} ${mark}`
}

function isIn(trail: Trail | undefined, node: string): boolean {
  for (let at = trail; at !== undefined; at = at.above) if (at.node === node) return true
  return false
}

function successors({ edges }: FlowShape): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    const known = next.get(from)
    if (known === undefined) next.set(from, [to])
    else if (!known.includes(to)) known.push(to)
  }
  return next
}
