import { describe, expect, expectTypeOf, test } from 'vitest'

import {
  channel,
  Command,
  DefinitionError,
  END,
  flow,
  type Graph,
  graph,
  HexagonError,
  Send,
  START,
  type StateOf,
  type UpdateOf,
} from '../../src/index.ts'

const nothing = (): object => ({})

/** What is wrong with a graph, whatever the types say. */
function problemsOf(build: (open: Graph<{ x: number }, string>) => unknown): readonly string[] {
  const made = graph('checked', { state: { x: 0 } }) as unknown as Graph<{ x: number }, string>
  try {
    build(made)
    made.describe()
    return []
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return error.problems
  }
}

describe('what is found when a graph is built', () => {
  test('L93 each mistake names its parts', () => {
    expect(problemsOf((g) => g)).toEqual(['it has no nodes'])
    expect(problemsOf((g) => g.node('a', nothing).edge(START, 'b'))).toEqual([
      'edge __start__ → b names unknown node "b", did you mean "a"?',
    ])
    expect(problemsOf((g) => g.node('a', nothing).edge('x1', 'a').edge(START, 'a'))).toHaveLength(1)
    expect(problemsOf((g) => g.node('a', nothing).node('a', nothing).edge(START, 'a'))).toEqual([
      'node "a" is there twice',
    ])
    for (const name of [START, END, '__proto__', 'constructor', 'prototype'])
      expect(problemsOf((g) => g.node(name, nothing).edge(START, name).edge(name, END))).toContain(
        `node name "${name}" is reserved`,
      )
    expect(problemsOf((g) => g.node('', nothing).edge(START, '').edge('', END))).toContain(
      'a node has an empty name',
    )
  })

  test('B86 dead and unreachable parts are errors with their names', () => {
    const unreachable = problemsOf((g) =>
      g.node('a', nothing).node('lost', nothing).edge(START, 'a').edge('a', END).edge('lost', END),
    )
    expect(unreachable).toEqual([
      'node "lost" is never reached from START (declare where commands jump with { ends: ["lost"] })',
    ])
    expect(problemsOf((g) => g.node('a', nothing).edge(START, 'a'))).toEqual([
      'node "a" has no way to END (add an edge to END, or { ends } if it jumps)',
    ])
    expect(
      problemsOf((g) =>
        g.node('a', nothing).node('b', nothing).edge(START, 'a').edge('a', 'b').edge('b', 'a'),
      ),
    ).toEqual(['the cycle a → b has no exit'])
    expect(
      problemsOf((g) => g.node('a', nothing).edge(START, 'a').edge('a', END).edge('a', END)),
    ).toEqual(['edge a → __end__ is there twice'])
    expect(
      problemsOf((g) =>
        g
          .node('a', nothing)
          .edge(START, 'a')
          .edge('a', START as never),
      ),
    ).toContain('an edge leads into START')
    expect(
      problemsOf((g) =>
        g
          .node('a', nothing)
          .edge(START, 'a')
          .edge(END as never, 'a'),
      ),
    ).toContain('an edge leads out of END')
  })

  test('mistakes of branches, joins and breakpoints name their parts', () => {
    const base = (g: Graph<{ x: number }, string>) =>
      g.node('alpha', nothing).node('beta', nothing).edge(START, 'alpha').edge('beta', END)
    expect(problemsOf((g) => base(g).branch('alpha', () => 'bet', ['bet']))).toEqual([
      'branch of alpha names unknown node "bet", did you mean "beta"?',
    ])
    expect(
      problemsOf((g) =>
        base(g)
          .edge('alpha', 'beta')
          .branch('alpha', () => END, [] as string[]),
      ),
    ).toEqual(['branch of alpha has no targets'])
    expect(problemsOf((g) => base(g).join('beta', ['alfa']))).toEqual([
      'join into beta names unknown node "alfa", did you mean "alpha"?',
    ])
    expect(problemsOf((g) => base(g).edge('alpha', 'beta').join('beta', []))).toEqual([
      'join into beta waits for nothing',
    ])
    expect(problemsOf((g) => base(g).edge('alpha', 'beta').join('beta', ['alpha']))).toEqual([
      'alpha → beta is an edge and a join',
    ])
    const broken = graph('checked', { state: { x: 0 }, breakBefore: ['alfa'] })
      .node('alpha', nothing)
      .edge(START, 'alpha')
      .edge('alpha', END)
    expect(() => broken.describe()).toThrow('did you mean "alpha"?')
  })

  test('all problems come together, under the name of the graph', () => {
    expect(() => graph('empty').describe()).toThrow('Flow "empty": it has no nodes')
    const problems = problemsOf((g) =>
      g.node('a', nothing).node('a', nothing).edge(START, 'x9').edge('y9', END),
    )
    expect(problems).toHaveLength(3)
  })

  test('what is neither a function nor a graph is no node', () => {
    expect(() => graph('g').node('a', 'text' as never)).toThrow('neither a function nor a graph')
    expect(() => graph('')).toThrow(HexagonError)
    expect(() => flow('', async () => 1)).toThrow(HexagonError)
  })

  test('a graph that loops through a command needs its ends declared', () => {
    const jumping = graph('jump', { state: { x: 0 } })
      .node('a', () => new Command({ goto: 'b' }), { ends: ['b'] })
      .node('b', () => new Command({ goto: END }), { ends: [END] })
      .edge(START, 'a')
    expect(jumping.describe().nodes.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('describe and toMermaid tell nodes, edges and subgraphs', () => {
    const inner = graph('inner', { state: { x: 0 } })
      .node('leaf', nothing)
      .edge(START, 'leaf')
      .edge('leaf', END)
    const outer = graph('outer', { state: { x: 0 } })
      .node('a', nothing)
      .node('sub', inner)
      .node('b', nothing)
      .edge(START, 'a')
      .branch('a', () => 'sub', ['sub', END])
      .join('b', ['sub'])
      .edge('b', END)
    const shape = outer.describe()

    expect(shape.nodes).toMatchObject([
      { name: 'a', kind: 'function' },
      { name: 'sub', kind: 'subgraph', shape: { name: 'inner' } },
      { name: 'b', kind: 'function' },
    ])
    expect(shape.edges).toContainEqual({ from: 'a', to: 'sub', kind: 'branch' })
    expect(shape.edges).toContainEqual({ from: 'sub', to: 'b', kind: 'join' })
    for (const name of ['a', 'sub', 'b']) expect(outer.toMermaid()).toContain(name)
  })
})

describe('what the types find', () => {
  const typed = graph('typed', {
    state: { n: 0, log: channel<string[], string>({ initial: [], reduce: (a, b) => [...a, b] }) },
  })
    .node('a', ({ n, log }) => {
      expectTypeOf(n).toEqualTypeOf<number>()
      expectTypeOf(log).toEqualTypeOf<string[]>()
      return { n: 1, log: 'one' }
    })
    .node('b', () => new Command({ goto: 'a' }))

  test('a state key that is not declared does not compile', () => {
    expect(typed.name).toBe('typed')
    // @ts-expect-error -- there is no key `m`
    graph('g', { state: { n: 0 } }).node('a', () => ({ m: 1 }))
    // @ts-expect-error -- `n` is a number
    graph('g', { state: { n: 0 } }).node('a', () => ({ n: 'x' }))
    // @ts-expect-error -- there is no key `m` to read
    graph('g', { state: { n: 0 } }).node('a', ({ m }) => ({ n: m as number }))
    // @ts-expect-error -- an update of `log` is one text, not a list
    graph('g', { state: { log: channel<string[], string>({ initial: [] }) } }).node('a', () => ({
      log: ['x'],
    }))
  })

  test('an edge to a node that is not there does not compile', () => {
    const build = (): unknown => [
      // @ts-expect-error -- there is no node `c`
      typed.edge('a', 'c'),
      // @ts-expect-error -- nothing leads into START
      typed.edge('a', START),
      // @ts-expect-error -- nothing leads out of END
      typed.edge(END, 'a'),
      // @ts-expect-error -- there is no node `c`
      typed.join('a', ['c']),
      // @ts-expect-error -- there is no node `c`
      typed.branch('a', () => 'b', ['c']),
      // @ts-expect-error -- the router may only give its targets
      typed.branch('a', () => 'b', ['a', END]),

      // @ts-expect-error -- nor may an asynchronous one
      typed.branch('a', async () => 'b', ['a', END]),
    ]
    expect(build).toBeTypeOf('function')
  })

  test('routers give targets, lists of them and Sends', () => {
    expectTypeOf(typed).toEqualTypeOf<
      Graph<{ n: number; log: ReturnType<typeof channel<string[], string>> }, 'a' | 'b'>
    >()
    const build = (): unknown => [
      typed.branch('a', ({ n }) => (n > 1 ? 'b' : END), ['b', END]),
      typed.branch('a', async () => 'b', ['b', END]),
      typed.branch('a', async () => ['a', new Send('b', 1)], ['a', 'b']),
    ]
    expect(build).toBeTypeOf('function')
  })

  test('state and update types follow the channels', () => {
    type Spec = { n: number; log: ReturnType<typeof channel<string[], string>> }
    expectTypeOf<StateOf<Spec>>().toEqualTypeOf<{ readonly n: number; readonly log: string[] }>()
    expectTypeOf<UpdateOf<Spec>>().toEqualTypeOf<{
      readonly n?: number
      readonly log?: string
    }>()
  })

  test('a flow gives the type its function gives', () => {
    const typedFlow = flow('f', async (input: { a: number }) => `${input.a}`)
    expectTypeOf(typedFlow.invoke).returns.resolves.toEqualTypeOf<string>()
  })
})
