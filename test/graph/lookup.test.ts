import { describe, expect, test } from 'vitest'

import { END, graph, interruptForInput, Send, START, UnknownNameError } from '../../src/index.ts'
import { Threads } from '../support/threads.ts'

const inner = (own: Record<string, unknown> = {}) =>
  graph('inner', { state: { seen: undefined as unknown, ...own } })
    .node('look', async (_state, ctx) => {
      await interruptForInput('go?')
      return { seen: ctx.lookup('counter') }
    })
    .edge(START, 'look')
    .edge('look', END)

const around = (sub: ReturnType<typeof inner>) =>
  graph('outer', { state: { counter: 0, seen: undefined as unknown } })
    .node('count', () => ({ counter: 42 }))
    .node('sub', sub)
    .edge(START, 'count')
    .edge('count', 'sub')
    .edge('sub', END)

describe('a look at the graphs around', () => {
  test('S65 finds what the outer graph had before the question, after it', async () => {
    const threads = new Threads()
    const flow = around(inner())
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, { answer: 'go' })
    expect(done.state).toEqual({ counter: 42, seen: 42 })
  })

  test('S65 finds it from a graph that a node invokes', async () => {
    const threads = new Threads()
    const sub = inner()
    const flow = graph('outer', { state: { counter: 0, seen: undefined as unknown } })
      .node('count', () => ({ counter: 99 }))
      .node('call', async () => sub.invoke() as Promise<{ seen: unknown }>)
      .edge(START, 'count')
      .edge('count', 'call')
      .edge('call', END)
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, { answer: 'go' })
    expect(done.state).toEqual({ counter: 99, seen: 99 })
  })

  test('S65 finds the own value first', async () => {
    const threads = new Threads()
    const sub = inner({ counter: 7 })
    const flow = graph('outer', { state: { counter: 42, seen: undefined as unknown } })
      .node('sub', sub, { input: () => ({}), output: ({ seen }) => ({ seen }) })
      .edge(START, 'sub')
      .edge('sub', END)
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, { answer: 'go' })
    expect(done.state).toEqual({ counter: 42, seen: 7 })
  })

  test('S65 reads the state as the task around was given it, whatever is written beside it', async () => {
    const threads = new Threads()
    const sub = inner()
    const flow = graph('outer', { state: { counter: 1, seen: undefined as unknown } })
      .node('sub', sub)
      .node('beside', () => ({ counter: 2 }))
      .edge(START, 'sub')
      .edge(START, 'beside')
      .edge('sub', END)
      .edge('beside', END)
    const paused = await threads.start(flow)
    expect(paused.state).toMatchObject({ counter: 2 })
    const done = await threads.resume(flow, paused, { answer: 'go' })
    expect(done.state).toEqual({ counter: 2, seen: 1 })
  })

  test('works in a router, in a fan-out task, and names what there is where it finds nothing', async () => {
    const threads = new Threads()
    const routed: unknown[] = []
    const sub = graph('sub', { state: { note: 'inner' } })
      .node('work', (_input: string, ctx) => ({ note: `${ctx.lookup<number>('counter')}` }))
      .branch(
        START,
        (_state, ctx) => {
          routed.push(ctx.lookup('note'), ctx.lookup('counter'))
          return new Send('work', 'x')
        },
        ['work'],
      )
      .edge('work', END)
    const flow = graph('outer', { state: { counter: 3, note: 'outer' } })
      .node('sub', sub, { input: () => ({}), output: ({ note }) => ({ note: note as string }) })
      .node('lost', (_state, ctx) => ({ note: ctx.lookup('countr') }))
      .edge(START, 'sub')
      .edge('sub', 'lost')
      .edge('lost', END)
    const failed = await threads.start(flow)
    expect(routed).toEqual(['inner', 3])
    expect(failed.state).toMatchObject({ note: '3' })
    expect(failed.error).toBeInstanceOf(UnknownNameError)
    expect(failed.error).toMatchObject({ hint: 'Did you mean "counter"?' })
  })
})
