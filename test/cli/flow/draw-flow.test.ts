import { expect, test } from 'vitest'

import { drawDot } from '../../../src/cli/flow/draw-dot.ts'
import { drawFlow } from '../../../src/cli/flow/draw-flow.ts'
import type { EdgeShape, FlowShape } from '../../../src/core/flow.ts'
import { END, START } from '../../../src/graph/command.ts'

function flow(...edges: (readonly [string, string, EdgeShape['kind']?])[]): FlowShape {
  const names = new Set(
    edges.flatMap(([from, to]) => [from, to]).filter((name) => name !== START && name !== END),
  )
  return {
    name: 'flow',
    nodes: [...names].map((name) => ({ name, kind: 'function' })),
    edges: edges.map(([from, to, kind = 'edge']) => ({ from, to, kind })),
  }
}

const unicode = { kind: 'unicode' } as const

test('a line of nodes is drawn one below the other, with its marks', () => {
  const lines = drawFlow(
    flow([START, 'build'], ['build', 'review'], ['review', END]),
    unicode,
    new Map([['review', '◆ approval']]),
  )
  expect(lines).toEqual(['start', '└─ build', '   └─ review ◆ approval', '      └─ end'])
})

test('branches share a rail, a cycle and a known node are only named', () => {
  const lines = drawFlow(
    flow(
      [START, 'write'],
      ['write', 'review'],
      ['review', 'write', 'branch'],
      ['review', 'publish', 'branch'],
      ['review', 'drop', 'branch'],
      ['publish', 'notify'],
      ['drop', 'notify'],
      ['notify', END],
    ),
    unicode,
  )
  expect(lines).toEqual([
    'start',
    '└─ write',
    '   └─ review',
    '      ├─ ↺ to write',
    '      ├─ publish',
    '      │  └─ notify',
    '      │     └─ end',
    '      └─ drop',
    '         └─ → notify',
  ])
})

test('ten thousand nodes in a line are drawn', () => {
  const edges = Array.from({ length: 10_000 }, (_, index): [string, string] => [
    `n${index}`,
    `n${index + 1}`,
  ])
  expect(drawFlow(flow([START, 'n0'], ...edges), unicode)).toHaveLength(10_002)
})

test('names are made safe', () => {
  expect(drawFlow(flow([START, 'a\u001b[2J']), unicode)[1]).toBe('└─ a␛[2J')
})

test('Graphviz gets quoted names, dashed branches and clusters', () => {
  const inner = flow([START, 'x'], ['x', END])
  const shape: FlowShape = {
    name: 'outer',
    nodes: [
      { name: 'a "b"', kind: 'function' },
      { name: 'sub', kind: 'subgraph', shape: inner },
    ],
    edges: [
      { from: START, to: 'a "b"', kind: 'edge' },
      { from: 'a "b"', to: 'sub', kind: 'branch' },
    ],
  }
  const text = drawDot(shape).join('\n')
  expect(text).toContain(String.raw`"start" -> "a \"b\""`)
  expect(text).toContain('[style=dashed]')
  expect(text).toContain('subgraph "cluster sub" {')
  expect(text).toContain('"sub/x" [label="x"]')
})
