import { describe, expect, test } from 'vitest'

import { channel, END, graph, interruptForInput, Send, START } from '../../src/index.ts'
import { messages, questionAsking, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

const mark = (name: string) => (): { log: string[] } => ({ log: [name] })

describe('joins', () => {
  test('a join runs once when all have delivered', async () => {
    const flow = graph('diamond', { state: { log: list() } })
      .node('a', mark('a'))
      .node('b', mark('b'))
      .node('b2', mark('b2'))
      .node('c', mark('c'))
      .node('end', ({ log }) => ({ log: [`end after ${log.join('')}`] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('a', 'c')
      .edge('b', 'b2')
      .join('end', ['b2', 'c'])
      .edge('end', END)
    expect((await new Threads().start(flow)).state['log']).toEqual([
      'a',
      'b',
      'c',
      'b2',
      'end after abcb2',
    ])
  })

  test('a branch that was not taken does not hold a join', async () => {
    const flow = graph('skip', { state: { log: list() } })
      .node('a', mark('a'))
      .node('b', mark('b'))
      .node('c', mark('c'))
      .node('end', mark('end'))
      .edge(START, 'a')
      .branch('a', () => 'b', ['b', 'c'])
      .join('end', ['b', 'c'])
      .edge('end', END)
    expect((await new Threads().start(flow)).state['log']).toEqual(['a', 'b', 'end'])
  })

  test('a join waits for a parked branch, and runs once after it', async () => {
    const threads = new Threads()
    const flow = graph('wait', { state: { log: list() } })
      .node('quick', mark('quick'))
      .node('ask', async () => ({ log: [await interruptForInput('ask?')] }))
      .node('after', mark('after'))
      .node('end', mark('end'))
      .edge(START, 'quick')
      .edge(START, 'ask')
      .edge('ask', 'after')
      .join('end', ['quick', 'after'])
      .edge('end', END)
    const paused = await threads.start(flow)
    expect(paused.state['log']).toEqual(['quick'])

    const done = await threads.resume(flow, paused, { answer: 'A' })
    expect(done.state['log']).toEqual(['quick', 'A', 'after', 'end'])
  })

  test('a join waits for every task of a fan-out, parked ones too', async () => {
    const threads = new Threads()
    const flow = graph('fan', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('work', async (item: string) => ({
        log: [item.startsWith('ask') ? await interruptForInput(item) : item],
      }))
      .node('sum', ({ log }) => ({ log: [`sum of ${log.length}`] }))
      .edge(START, 'plan')
      .branch(
        'plan',
        () => ['one', 'ask 1', 'two', 'ask 2'].map((item) => new Send('work', item)),
        ['work'],
      )
      .join('sum', ['work'])
      .edge('sum', END)
    const paused = await threads.start(flow)
    expect(paused.state['log']).toEqual(['one', 'two'])
    const half = await threads.resume(flow, paused, {
      answers: { [questionAsking(paused, 'ask 2').id]: 'second' },
    })
    expect(half.state['log']).toEqual(['one', 'two', 'second'])

    const done = await threads.resume(flow, half, { answer: 'first' })
    expect(done.state['log']).toEqual(['one', 'first', 'two', 'second', 'sum of 4'])
  })

  test('a fan-out of nothing does not hold a join behind it', async () => {
    const flow = graph('none', { state: { log: list() } })
      .node('plan', mark('plan'))
      .node('other', mark('other'))
      .node('work', mark('work'))
      .node('sum', mark('sum'))
      .edge(START, 'plan')
      .edge(START, 'other')
      .branch('plan', () => [], ['work'])
      .join('sum', ['work', 'other'])
      .edge('sum', END)
    const done = await new Threads().start(flow)
    expect(done).toMatchObject({ status: 'completed', state: { log: ['plan', 'other', 'sum'] } })
  })

  test('a join in a loop runs once a round', async () => {
    const threads = new Threads()
    const flow = graph('loop', { state: { round: 0, log: list() } })
      .node('begin', ({ round }) => ({ round: round + 1 }))
      .node('left', ({ round }) => ({ log: [`l${round}`] }))
      .node('right', async ({ round }) => ({ log: [await interruptForInput(`r${round}?`)] }))
      .node('meet', ({ round }) => ({ log: [`m${round}`] }))
      .edge(START, 'begin')
      .edge('begin', 'left')
      .edge('begin', 'right')
      .join('meet', ['left', 'right'])
      .branch('meet', ({ round }) => (round < 3 ? 'begin' : END), ['begin', END])
    let left = await threads.start(flow)
    for (let round = 1; left.status === 'suspended'; round++) {
      expect(messages(left)).toEqual([`r${round}?`])
      left = await threads.resume(flow, left, { answer: `R${round}` })
    }

    expect(left.state['log']).toEqual(['l1', 'R1', 'm1', 'l2', 'R2', 'm2', 'l3', 'R3', 'm3'])
  })

  test('joins that lead to each other run in turn', async () => {
    const flow = graph('chain', { state: { log: list() } })
      .node('a', mark('a'))
      .node('b', mark('b'))
      .node('first', mark('first'))
      .node('second', mark('second'))
      .edge(START, 'a')
      .edge(START, 'b')
      .join('first', ['a', 'b'])
      .join('second', ['b', 'first'])
      .edge('second', END)
    expect((await new Threads().start(flow)).state['log']).toEqual(['a', 'b', 'first', 'second'])
  })

  test('a command that jumps away from a branch lets the join go', async () => {
    const threads = new Threads()
    const flow = graph('jump', { state: { log: list() } })
      .node('a', mark('a'))
      .node('ask', async () => ({ log: [await interruptForInput('ask?')] }))
      .node('end', mark('end'))
      .node('other', mark('other'))
      .edge(START, 'a')
      .edge(START, 'ask')
      .join('end', ['a', 'ask'])
      .edge('end', 'other')
      .edge('other', END)
    const paused = await threads.start(flow)
    const jumped = await threads.resume(flow, paused, { goto: 'other' })

    expect(jumped).toMatchObject({ status: 'completed', interrupts: [] })
    expect(jumped.state['log'] as string[]).toContain('other')
  })

  test('an edge into a node runs it on every delivery', async () => {
    const flow = graph('edges', { state: { log: list() } })
      .node('a', mark('a'))
      .node('b', mark('b'))
      .node('b2', mark('b2'))
      .node('end', mark('end'))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', 'end')
      .edge('b', 'b2')
      .edge('b2', 'end')
      .edge('end', END)
    const done = await new Threads().start(flow)
    expect((done.state['log'] as string[]).filter((name) => name === 'end')).toHaveLength(2)
  })
})
