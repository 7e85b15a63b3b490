import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  flow,
  graph,
  interrupt,
  interruptForInput,
  Send,
  START,
  step,
} from '../../src/index.ts'
import { messages, question, questionAsking, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** pre, ask, post; what runs is told to `ran`. */
function asking(ran: string[] = []) {
  return graph('sub', { state: { log: list() } })
    .node('pre', () => {
      ran.push('pre')
      return { log: ['pre'] }
    })
    .node('ask', async () => {
      ran.push('ask')
      return { log: [await interruptForInput('sub?')] }
    })
    .node('post', () => {
      ran.push('post')
      return { log: ['post'] }
    })
    .edge(START, 'pre')
    .edge('pre', 'ask')
    .edge('ask', 'post')
    .edge('post', END)
}

describe('subgraphs', () => {
  test('L43 a question of a subgraph shows once in the parent', async () => {
    const threads = new Threads()
    const flow = graph('parent', { state: { log: list() } })
      .node('before', () => ({ log: ['before'] }))
      .node('sub', asking())
      .node('after', () => ({ log: ['after'] }))
      .edge(START, 'before')
      .edge('before', 'sub')
      .edge('sub', 'after')
      .edge('after', END)
    const paused = await threads.start(flow)
    const view = await threads.runner().get(paused.threadId)
    expect(view.tasks).toMatchObject([
      { node: 'sub', status: 'parked', interrupts: [question(paused).id] },
    ])

    const done = await threads.resume(flow, paused, { answer: 'A' })
    expect((await threads.runner().get(paused.threadId)).tasks).toEqual([])
    expect(done.state['log']).toEqual(['before', 'pre', 'A', 'post', 'after'])
  })

  test('S37 a question of a node of the root has that node as its address', async () => {
    const threads = new Threads()
    const seen: unknown[] = []
    const root = graph('root', { state: { text: '', out: '' } })
      .node('lambda', async ({ text }) => {
        const kept = await step('state', () => ({ original: text }))
        seen.push(kept)
        return { out: `${kept.original} ${String(await interrupt({ reason: 'why' }))}` }
      })
      .edge(START, 'lambda')
      .edge('lambda', END)
    const paused = await threads.start(root, { text: 'initial input' })
    expect(question(paused)).toMatchObject({
      kind: 'custom',
      address: [{ type: 'node', id: 'lambda' }],
      payload: { reason: 'why' },
    })

    const done = await threads.resume(root, paused, {
      answers: { [question(paused).id]: 'data' },
    })
    expect(seen).toEqual([{ original: 'initial input' }, { original: 'initial input' }])
    expect(done.state['out']).toBe('initial input data')
  })

  test('S38 a question of a subgraph names both nodes in its address', async () => {
    const threads = new Threads()
    const flow = graph('outer', { state: { log: list() } })
      .node('sub_graph_node', asking())
      .edge(START, 'sub_graph_node')
      .edge('sub_graph_node', END)
    const paused = await threads.start(flow)
    expect(question(paused).address).toEqual([
      { type: 'node', id: 'sub_graph_node' },
      { type: 'node', id: 'ask' },
    ])

    const done = await threads.resume(flow, paused, { answers: { [question(paused).key]: 'A' } })
    expect(done.status).toBe('completed')
  })

  // Our rule: three calls of one node are three questions with stable ids.
  test('S40 three children of a node are answered in two rounds', async () => {
    const threads = new Threads()
    const done: string[] = []
    const child = async (name: string): Promise<string> => {
      const answer = await interrupt(`${name}?`, { key: name })
      await step('finish', () => done.push(name), { key: name })
      return answer === null ? name : `${name} with instruction: ${String(answer)}`
    }
    const flow = graph('batch', { state: { out: list() } })
      .node('batch', async () => ({ out: await Promise.all(['p0', 'p1', 'p2'].map(child)) }))
      .edge(START, 'batch')
      .edge('batch', END)
    const paused = await threads.start(flow)
    expect(paused.interrupts.map(({ key, address }) => [key, address])).toEqual(
      ['p0', 'p1', 'p2'].map((key) => [key, [{ type: 'node', id: 'batch' }]]),
    )
    const p1 = questionAsking(paused, 'p1?').id

    const half = await threads.resume(flow, paused, { answers: { p0: 'do it', p2: null } })
    expect(question(half).id).toBe(p1)
    const whole = await threads.resume(flow, paused, { answer: null })
    expect(whole.state['out']).toEqual(['p0 with instruction: do it', 'p1', 'p2'])
    expect(done.toSorted()).toEqual(['p0', 'p1', 'p2'])
  })

  // Our rule: the root has no segment of its own, the invoked graph has.
  test('S42 a question of an invoked graph lies below the node that invokes it', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { log: list() } })
      .node('inner_lambda', async () => {
        const kept = await step('state', () => 'kept')
        return { log: [`${kept}:${await interruptForInput('inner?')}`] }
      })
      .edge(START, 'inner_lambda')
      .edge('inner_lambda', END)
    const root = graph('root', { state: { log: list() } })
      .node('composite_lambda', async () => (await inner.invoke({})) as { log: string[] })
      .edge(START, 'composite_lambda')
      .edge('composite_lambda', END)
    const paused = await threads.start(root)
    expect(question(paused).address).toEqual([
      { type: 'node', id: 'composite_lambda' },
      { type: 'runnable', id: 'inner' },
      { type: 'node', id: 'inner_lambda' },
    ])

    const done = await threads.resume(root, paused, { answer: 'A' })
    expect(done.state['log']).toEqual(['kept:A'])
  })

  test('L48 nested graphs of a fan-out keep their own state', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { item: '', log: list() } })
      .node('note', ({ item }) => ({ log: [`${item}:noted`] }))
      .node('ask', async ({ item }) => ({
        log: [`${item}:${await interruptForInput(`${item}?`)}`],
      }))
      .edge(START, 'note')
      .edge('note', 'ask')
      .edge('ask', END)
    const flow = graph('fan', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('sub', inner)
      .edge(START, 'plan')
      .branch('plan', () => ['a', 'b'].map((item) => new Send('sub', { item }, { key: item })), [
        'sub',
      ])
      .edge('sub', END)
    const paused = await threads.start(flow)
    expect(messages(paused)).toEqual(['a?', 'b?'])

    const half = await threads.resume(flow, paused, {
      answers: { [questionAsking(paused, 'b?').id]: 'B' },
    })
    expect(messages(half)).toEqual(['a?'])
    const done = await threads.resume(flow, paused, { answer: 'A' })
    expect(done.state['log']).toEqual(['a:noted', 'a:A', 'b:noted', 'b:B'])
  })

  test('a fan-out into a subgraph refuses keys that the subgraph does not have', async () => {
    const inner = graph('inner', { state: { item: '' } })
      .node('ask', () => ({}))
      .edge(START, 'ask')
      .edge('ask', END)
    const flow = graph('fan', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('sub', inner)
      .edge(START, 'plan')
      .branch('plan', () => new Send('sub', { itme: 1 }), ['sub'])
      .edge('sub', END)
    const failed = await new Threads().start(flow)

    expect(failed.error).toMatchObject({ name: 'UnknownNameError', hint: 'Did you mean "item"?' })
  })

  test('B07 two asking nodes of a subgraph ask apart', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { log: list() } })
      .node('n1', async () => ({ log: [await interruptForInput('n1?')] }))
      .node('n2', async () => ({ log: [await interruptForInput('n2?')] }))
      .edge(START, 'n1')
      .edge('n1', 'n2')
      .edge('n2', END)
    const outer = graph('outer', { state: { log: list() } })
      .node('sub', inner)
      .edge(START, 'sub')
      .edge('sub', END)
    const first = await threads.start(outer)
    expect(messages(first)).toEqual(['n1?'])
    const second = await threads.resume(outer, first, { answer: 'A' })
    expect(messages(second)).toEqual(['n2?'])
    expect(question(second).id).not.toBe(question(first).id)
    const done = await threads.resume(outer, second, { answer: 'B' })
    expect(done.state['log']).toEqual(['A', 'B'])
  })

  test('B07 a loop that visits an asking node three times pauses three times', async () => {
    const threads = new Threads()
    const looping = graph('loop', { state: { round: 0, log: list() } })
      .node('ask', async ({ round }) => ({
        round: round + 1,
        log: [await interruptForInput(`round ${round}?`)],
      }))
      .edge(START, 'ask')
      .branch('ask', ({ round }) => (round < 3 ? 'ask' : END), ['ask', END])
    let left = await threads.start(looping)
    const asked: string[] = []
    const ids = new Set<string>()
    while (left.status === 'suspended') {
      asked.push(...messages(left))
      ids.add(question(left).id)
      left = await threads.resume(looping, left, { answer: `a${asked.length}` })
    }

    expect(asked).toEqual(['round 0?', 'round 1?', 'round 2?'])
    expect(ids.size).toBe(3)
    expect(left.state['log']).toEqual(['a1', 'a2', 'a3'])
  })

  test('B29 a resumed subgraph goes on and does not start over', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const outer = graph('outer', { state: { log: list() } })
      .node('sub', asking(ran))
      .edge(START, 'sub')
      .edge('sub', END)
    const paused = await threads.start(outer)
    await threads.resume(outer, paused)
    const done = await threads.resume(outer, paused, { answers: { [question(paused).id]: 'A' } })

    expect(done.status).toBe('completed')
    expect(ran).toEqual(['pre', 'ask', 'ask', 'post'])
  })

  test('B29 a graph invoked in a node goes on and does not start over', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const sub = asking(ran)
    const outer = flow('outer', async () => sub.invoke({}))
    const paused = await threads.start(outer)
    const done = await threads.resume(outer, paused, { answer: 'A' })

    expect(done.output).toEqual({ log: ['pre', 'A', 'post'] })
    expect(ran).toEqual(['pre', 'ask', 'ask', 'post'])
  })

  // Our rule: an update is made to the root's state; a subgraph has taken its input before.
  test('B31 two breakpoints of a subgraph both stop, an edit between them stays', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { log: list() }, breakBefore: ['b', 'c'] })
      .node('a', () => ({ log: ['a'] }))
      .node('b', () => ({ log: ['b'] }))
      .node('c', () => ({ log: ['c'] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', 'c')
      .edge('c', END)
    const outer = graph('outer', { state: { log: list(), note: '' } })
      .node('sub', inner)
      .edge(START, 'sub')
      .edge('sub', END)
    const first = await threads.start(outer)
    expect(messages(first)).toEqual(['Stopped before b'])
    const second = await threads.resume(outer, first, { update: { note: 'edited' } })
    expect(messages(second)).toEqual(['Stopped before c'])
    expect(second.state['note']).toBe('edited')

    const done = await threads.resume(outer, first)
    expect(done.state).toEqual({ log: ['a', 'b', 'c'], note: 'edited' })
  })

  test('B34 a nested question tells its path and its answer stays in its thread', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { log: list() } })
      .node('node', async () => ({ log: [await interruptForInput('ok?')] }))
      .edge(START, 'node')
      .edge('node', END)
    const outer = graph('outer', { state: { log: list() } })
      .node(
        'outer',
        graph('mid', { state: { log: list() } })
          .node('inner', inner)
          .edge(START, 'inner')
          .edge('inner', END),
      )
      .edge(START, 'outer')
      .edge('outer', END)
    const one = await threads.start(outer, {}, { threadId: 'one' })
    const two = await threads.start(outer, {}, { threadId: 'two' })
    const pending = await threads.runner().pending()
    expect(pending.items.map(({ interrupts }) => interrupts[0]?.key)).toEqual(
      Array.from({ length: 2 }, () => 'node:outer/node:inner/node:node'),
    )

    const [first, second] = await Promise.all([
      threads.resume(outer, one, { answer: '1' }),
      threads.resume(outer, two, { answer: '2' }),
    ])
    expect(first.state['log']).toEqual(['1'])
    expect(second.state['log']).toEqual(['2'])
  })

  test('mappers choose what goes into a subgraph and what comes out', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { x: 0, noise: '' } })
      .node('ask', async ({ x }) => ({ x: x + Number(await interruptForInput('n?')), noise: 'n' }))
      .edge(START, 'ask')
      .edge('ask', END)
    const outer = graph('outer', { state: { total: 1, noise: 'mine' } })
      .node('sub', inner, {
        input: ({ total }) => ({ x: total * 10 }),
        output: ({ x }) => ({ total: x as number }),
      })
      .edge(START, 'sub')
      .edge('sub', END)
    const paused = await threads.start(outer)
    const done = await threads.resume(outer, paused, { answer: '5' })

    expect(done.state).toEqual({ total: 15, noise: 'mine' })
  })

  test('a reducer that both graphs have folds each update once', async () => {
    const threads = new Threads()
    const add = () => channel<number>({ initial: 0, reduce: (a, b) => a + b })
    const inner = graph('inner', { state: { n: add(), log: list() } })
      .node('a', () => ({ n: 1, log: ['a'] }))
      .node('b', async ({ n }) => ({ n: 10, log: [`${n}`, await interruptForInput('b?')] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const outer = graph('outer', { state: { n: add(), log: list() } })
      .node('first', () => ({ n: 100, log: ['first'] }))
      .node('sub', inner)
      .edge(START, 'first')
      .edge('first', 'sub')
      .edge('sub', END)
    const paused = await threads.start(outer)
    const done = await threads.resume(outer, paused, { answer: 'B' })

    expect(done.state).toEqual({ n: 111, log: ['first', 'a', '101', 'B'] })
  })

  test('three hundred graphs inside one another go on after a question', async () => {
    const threads = new Threads()
    let nested = asking()
    for (let depth = 1; depth < 300; depth += 1)
      nested = graph(`level ${depth}`, { state: { log: list() } })
        .node('ask', nested)
        .edge(START, 'ask')
        .edge('ask', END) as never
    const paused = await threads.start(nested)
    const done = await threads.resume(nested, paused, { answer: 'deep' })

    expect(done.state).toEqual({ log: ['pre', 'deep', 'post'] })
  })
})
