import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  Command,
  END,
  graph,
  interruptForInput,
  Runner,
  StepLimitError,
  START,
  UnknownNameError,
} from '../../src/index.ts'
import { answerTo, anyBlock, Effects, graphOf } from '../support/random-graph.ts'

const line = (body: (at: number, seen: number) => unknown, recursionLimit = 100) => {
  const node =
    (at: number) =>
    ({ n }: { readonly n: number }) =>
      body(at, n) as { n: number }
  return graph('line', { state: { n: 0, late: 'no' }, recursionLimit })
    .node('s0', node(0))
    .node('s1', node(1))
    .node('s2', node(2))
    .node('s3', node(3))
    .node('s4', node(4))
    .edge(START, 's0')
    .edge('s0', 's1')
    .edge('s1', 's2')
    .edge('s2', 's3')
    .edge('s3', 's4')
    .edge('s4', END)
}

describe('a line of nodes that nobody watches or keeps', () => {
  test('ends as the run that is watched, for any graph', async () => {
    await fc.assert(
      fc.asyncProperty(anyBlock, async (block) => {
        const onInterrupt = (open: readonly { id: string; message: string }[]) =>
          Object.fromEntries(open.map(({ id, message }) => [id, answerTo(message)]))
        const watched = new Effects()
        const alone = new Effects()
        const result = await new Runner({ onInterrupt }).invoke(graphOf(block, watched), {})
        const output = await graphOf(block, alone).invoke({}, { onInterrupt })
        expect(output).toEqual(result.state)
        expect(alone.counts).toEqual(watched.counts)
      }),
      { numRuns: 100 },
    )
  })

  test('takes nodes that await and nodes that do not', async () => {
    const flow = line((at, n) => (at % 2 === 0 ? { n: n + 1 } : Promise.resolve({ n: n + 1 })))
    expect(await flow.invoke()).toEqual({ n: 5, late: 'no' })
  })

  test('stops at a question and goes on after it', async () => {
    const flow = line(async (at, n) =>
      at === 2 ? { n: n + 1, late: await interruptForInput('go on?') } : { n: n + 1 },
    )
    const onInterrupt = ([open]: readonly { id: string }[]) => ({ [open?.id ?? '']: 'yes' })
    expect(await flow.invoke({}, { onInterrupt })).toEqual({ n: 5, late: 'yes' })
  })

  test('follows a command', async () => {
    const flow = line((at, n) =>
      at === 1 ? new Command({ update: { n: n + 10 }, goto: 's4' }) : { n: n + 1 },
    )
    expect(await flow.invoke()).toEqual({ n: 12, late: 'no' })
  })

  test('names the node that writes an unknown key, and keeps nothing of it', async () => {
    const flow = line((at, n) => (at === 3 ? { n: 100, nope: 1 } : { n: n + 1 }))
    const failed = flow.invoke()
    await expect(failed).rejects.toThrow(UnknownNameError)
    await expect(failed).rejects.toThrow('s3')
  })

  test('names the node that throws', async () => {
    const flow = line((at, n) => {
      if (at === 3) throw new Error('out of paper')
      return { n: n + 1 }
    })
    await expect(flow.invoke()).rejects.toThrow(/s3.*out of paper/)
  })

  test('counts its supersteps', async () => {
    await expect(line((_at, n) => ({ n: n + 1 }), 3).invoke()).rejects.toThrow(StepLimitError)
  })

  test('stops between two nodes when its caller aborts', async () => {
    const caller = new AbortController()
    const ran: number[] = []
    const flow = line((at, n) => {
      ran.push(at)
      if (at === 1) caller.abort()
      return { n: n + 1 }
    })
    await expect(flow.invoke({}, { signal: caller.signal })).rejects.toThrow('the caller aborted')
    expect(ran).toEqual([0, 1])
  })

  test('inside a subgraph gives what it changed to the graph around', async () => {
    const outer = graph('outer', { state: { n: 7, late: 'before' } })
      .node(
        'line',
        line((at, n) => (at === 2 ? { n: n + 1, late: 'inside' } : { n: n + 1 })),
      )
      .node('after', ({ n }) => ({ n: n * 10 }))
      .edge(START, 'line')
      .edge('line', 'after')
      .edge('after', END)
    expect(await outer.invoke()).toEqual({ n: 120, late: 'inside' })
    expect(await outer.invoke()).toEqual((await new Runner().invoke(outer, {})).state)
  })

  test('gives each node a state that nobody can change', async () => {
    const flow = graph('frozen', { state: { n: 0 } })
      .node('one', () => ({ n: 1 }))
      .node('two', (state) => {
        expect(Object.isFrozen(state)).toBe(true)
        return { n: state.n + 1 }
      })
      .edge(START, 'one')
      .edge('one', 'two')
      .edge('two', END)
    expect(await flow.invoke()).toEqual({ n: 2 })
  })
})
