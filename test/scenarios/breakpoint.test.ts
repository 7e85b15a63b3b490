import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  graph,
  interruptForApproval,
  type RunnerOptions,
  START,
} from '../../src/index.ts'
import { eventsOf, messages, question, startedNodes, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

const durabilities = ['sync', 'async', 'exit'] as const

/** `one` and `two` add their names to what they read. */
function chain(ran: string[], breaks: { breakBefore?: string[]; breakAfter?: string[] }) {
  return graph('chain', { state: { text: '' }, ...breaks })
    .node('one', ({ text }) => {
      ran.push('one')
      return { text: `${text}1` }
    })
    .node('two', ({ text }) => {
      ran.push('two')
      return { text: `${text}2` }
    })
    .edge(START, 'one')
    .edge('one', 'two')
    .edge('two', END)
}

/** An outer graph around a subgraph that stops before its second node, beside a plain node. */
function nested(
  ran: string[],
  how: 'node' | 'function',
  outer: { before?: string; after?: string },
) {
  const inner = graph('inner', { state: { log: list() }, breakBefore: ['second'] })
    .node('first', () => {
      ran.push('first')
      return { log: ['first'] }
    })
    .node('second', () => {
      ran.push('second')
      return { log: ['second'] }
    })
    .edge(START, 'first')
    .edge('first', 'second')
    .edge('second', END)
  const built = graph('outer', {
    state: { log: list() },
    breakBefore: outer.before === undefined ? [] : [outer.before],
    breakAfter: outer.after === undefined ? [] : [outer.after],
  }).node('beside', () => {
    ran.push('beside')
    return { log: ['beside'] }
  })
  const whole =
    how === 'node'
      ? built.node('sub', inner)
      : built.node('sub', async () => (await inner.invoke({})) as { log: string[] })
  return whole.edge(START, 'beside').edge(START, 'sub').edge('beside', END).edge('sub', END)
}

describe('breakpoints', () => {
  // Our rule: a new input is a new thread.
  test('L37 a thread stops after a node, can be edited there and goes on', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = chain(ran, { breakAfter: ['one'] })
    const stopped = await threads.start(flow, { text: 'a' })
    expect(stopped).toMatchObject({ status: 'suspended', state: { text: 'a1' } })
    expect(question(stopped)).toMatchObject({
      kind: 'breakpoint',
      payload: { when: 'after', node: 'one' },
    })
    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'a12' })

    const other = await threads.start(flow, { text: 'b' })
    const edited = await threads.resume(flow, other, { update: { text: 'edit' } })
    expect(edited).toMatchObject({ status: 'completed', state: { text: 'edit2' } })
    expect(ran).toEqual(['one', 'two', 'one', 'two'])
  })

  // Our rule: after a node stops before its router ran, so the next node's stop comes on its own.
  test('S45 a stop after one node and one before the next are two stops', async () => {
    const threads = new Threads()
    const flow = chain([], { breakAfter: ['one'], breakBefore: ['two'] })
    const after = await threads.start(flow, { text: 'start' })
    expect(question(after).payload).toEqual({ when: 'after', node: 'one' })
    const before = await threads.resume(flow, after, { update: { text: 'start1state' } })
    expect(question(before).payload).toEqual({ when: 'before', node: 'two' })

    const done = await threads.resume(flow, before)
    expect(done.state).toEqual({ text: 'start1state2' })
  })

  test('S46 a resume does not stop at the same place again', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = chain(ran, { breakBefore: ['two'] })
    const stopped = await threads.start(flow, { text: 'start' })
    const done = await threads.resume(flow, stopped)

    expect(done).toMatchObject({ status: 'completed', state: { text: 'start12' } })
    expect(ran).toEqual(['one', 'two'])
    expect((await threads.runner().get(stopped.threadId)).answered).toMatchObject([
      { status: 'consumed' },
    ])
  })

  // Our rule: each stopped task is a stop of its own; one resume passes them all.
  test('S49 two parallel nodes stop after both and do not run again', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = graph('pair', { state: { a: '', b: '' }, breakAfter: ['a', 'b'] })
      .node('a', () => {
        ran.push('a')
        return { a: 'input' }
      })
      .node('b', () => {
        ran.push('b')
        return { b: 'input' }
      })
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const stopped = await threads.start(flow)
    expect(messages(stopped)).toEqual(['Stopped after a', 'Stopped after b'])

    const done = await threads.resume(flow, stopped)
    expect(done).toMatchObject({ status: 'completed', state: { a: 'input', b: 'input' } })
    expect(ran).toEqual(['a', 'b'])
  })

  test('S52 a subgraph that stops before its first node stops once', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { text: '' }, breakBefore: ['sub1'] })
      .node('sub1', ({ text }) => ({ text: `${text}sub1` }))
      .edge(START, 'sub1')
      .edge('sub1', END)
    const flow = graph('outer', { state: { text: '' } })
      .node('1', ({ text }) => ({ text: `${text}1` }))
      .node('2', inner)
      .edge(START, '1')
      .edge('1', '2')
      .edge('2', END)
    const stopped = await threads.start(flow, { text: 'input' })
    expect(question(stopped).address).toEqual([
      { type: 'node', id: '2' },
      { type: 'node', id: 'sub1' },
    ])

    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'input1sub1' })
  })

  for (const durability of durabilities) {
    for (const how of ['node', 'function'] as const) {
      test(`L39 a stop in a subgraph as ${how} repeats nothing outside (${durability})`, async () => {
        const options: RunnerOptions = { durability }
        const threads = new Threads(options)
        const ran: string[] = []
        const flow = nested(ran, how, {})
        const stopped = await threads.start(flow)
        expect(messages(stopped)).toEqual(['Stopped before second'])
        expect(stopped.state).toEqual({ log: ['beside'] })

        const done = await threads.resume(flow, stopped)
        expect(done.state).toEqual({ log: ['beside', 'first', 'second'] })
        expect(ran.toSorted()).toEqual(['beside', 'first', 'second'])
      })
    }
  }

  test('L40 stops before, inside and after a subgraph are three stops', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = nested(ran, 'node', { before: 'sub', after: 'sub' })
    const before = await threads.start(flow)
    expect(messages(before)).toEqual(['Stopped before sub'])
    expect(before.state).toEqual({ log: ['beside'] })
    const inside = await threads.resume(flow, before)
    expect(messages(inside)).toEqual(['Stopped before second'])
    const after = await threads.resume(flow, inside)
    expect(messages(after)).toEqual(['Stopped after sub'])
    expect(after.state).toEqual({ log: ['beside', 'first', 'second'] })

    const done = await threads.resume(flow, after)
    expect(done).toMatchObject({ status: 'completed', state: after.state })
    expect(ran).toEqual(['beside', 'first', 'second'])
  })

  test('L41 a stop two levels down runs outer nodes once', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const mark = (name: string) => () => {
      ran.push(name)
      return { log: [name] }
    }
    const leaf = graph('leaf', { state: { log: list() }, breakAfter: ['deep'] })
      .node('deep', mark('deep'))
      .node('end', mark('end'))
      .edge(START, 'deep')
      .edge('deep', 'end')
      .edge('end', END)
    const middle = graph('middle', { state: { log: list() } })
      .node('pre', mark('pre'))
      .node('leaf', leaf)
      .edge(START, 'pre')
      .edge('pre', 'leaf')
      .edge('leaf', END)
    const outer = graph('outer', { state: { log: list() } })
      .node('first', mark('first'))
      .node('middle', middle)
      .node('last', mark('last'))
      .edge(START, 'first')
      .edge('first', 'middle')
      .edge('middle', 'last')
      .edge('last', END)
    const stopped = await threads.start(outer)
    const done = await threads.resume(outer, stopped)

    expect(done.state).toEqual({ log: ['first', 'pre', 'deep', 'end', 'last'] })
    expect(ran).toEqual(['first', 'pre', 'deep', 'end', 'last'])
  })

  test('B16 a stop after a node comes before its router, which runs once with the edited state', async () => {
    const threads = new Threads()
    const seen: string[] = []
    const flow = graph('routed', { state: { to: 'b', log: list() }, breakAfter: ['a'] })
      .node('a', () => ({ log: ['a'] }))
      .node('b', () => ({ log: ['b'] }))
      .node('c', () => ({ log: ['c'] }))
      .edge(START, 'a')
      .branch(
        'a',
        ({ to }) => {
          seen.push(to)
          return to as 'b' | 'c'
        },
        ['b', 'c'],
      )
      .edge('b', END)
      .edge('c', END)
    const stopped = await threads.start(flow)
    expect(seen).toEqual([])

    const done = await threads.resume(flow, stopped, { update: { to: 'c' } })
    expect(done.state).toEqual({ to: 'c', log: ['a', 'c'] })
    expect(seen).toEqual(['c'])
  })

  test('O02 a breakpoint and a question of one node are two stops', async () => {
    const threads = new Threads()
    const flow = graph('both', { state: { ok: '' }, breakBefore: ['ask'] })
      .node('ask', async () => ({ ok: String(await interruptForApproval('ok?')) }))
      .edge(START, 'ask')
      .edge('ask', END)
    const stopped = await threads.start(flow)
    expect(question(stopped).kind).toBe('breakpoint')
    await expect(threads.resume(flow, stopped, { answer: true })).rejects.toMatchObject({
      name: 'UnknownInterruptError',
    })

    const asked = await threads.resume(flow, stopped)
    expect(question(asked)).toMatchObject({ kind: 'approval', message: 'ok?' })
    const done = await threads.resume(flow, asked, { answer: false })
    expect(done.state).toEqual({ ok: 'false' })
  })

  test('a bare answer is not ambiguous beside a breakpoint, and passes it', async () => {
    const threads = new Threads()
    const flow = graph('mixed', { state: { log: list() }, breakBefore: ['stop'] })
      .node('ask', async () => ({ log: [String(await interruptForApproval('ok?'))] }))
      .node('stop', () => ({ log: ['stop'] }))
      .edge(START, 'ask')
      .edge(START, 'stop')
      .edge('ask', END)
      .edge('stop', END)
    const paused = await threads.start(flow)
    expect(paused.interrupts.map(({ kind }) => kind).toSorted()).toEqual(['approval', 'breakpoint'])

    const done = await threads.resume(flow, paused, { answer: true })
    expect(done).toMatchObject({ status: 'completed', state: { log: ['true', 'stop'] } })
  })

  test('an update given with an answer is seen by a task that passes its breakpoint', async () => {
    const threads = new Threads()
    const flow = graph('mixed', { state: { log: list(), note: 'old' }, breakBefore: ['stop'] })
      .node('ask', async () => ({ log: [String(await interruptForApproval('ok?'))] }))
      .node('stop', ({ note }) => ({ log: [note] }))
      .edge(START, 'ask')
      .edge(START, 'stop')
      .edge('ask', END)
      .edge('stop', END)
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, { answer: true, update: { note: 'new' } })

    expect(done).toMatchObject({ status: 'completed', state: { log: ['true', 'new'] } })
  })

  test('a breakpoint in a loop stops at every visit', async () => {
    const threads = new Threads()
    const flow = graph('loop', { state: { n: 0 }, breakBefore: ['add'] })
      .node('add', ({ n }) => ({ n: n + 1 }))
      .edge(START, 'add')
      .branch('add', ({ n }) => (n < 3 ? 'add' : END), ['add', END])
    let left = await threads.start(flow)
    const seen: unknown[] = []
    while (left.status === 'suspended') {
      seen.push(left.state['n'])
      left = await threads.resume(flow, left)
    }

    expect(seen).toEqual([0, 1, 2])
    expect(left.state).toEqual({ n: 3 })
  })

  test('breakpoints of a run are passed when a handler answers them', async () => {
    const asked: string[] = []
    const run = new Threads().run(
      chain([], {}),
      { text: 's' },
      {
        breakBefore: ['two'],
        onInterrupt: (open) => {
          asked.push(...open.map(({ message }) => message))
          return Object.fromEntries(open.map(({ id }) => [id, null]))
        },
      },
    )
    const events = await eventsOf(run)

    expect(asked).toEqual(['Stopped before two'])
    expect(startedNodes(events)).toEqual(['one', 'two'])
    expect((await run.result).state).toEqual({ text: 's12' })
  })
})
