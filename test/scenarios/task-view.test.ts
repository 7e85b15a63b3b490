import { describe, expect, test } from 'vitest'

import {
  type Address,
  channel,
  END,
  formatAddress,
  graph,
  interruptForInput,
  Send,
  START,
  step,
} from '../../src/index.ts'
import { messages, question, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

describe('what a task sees', () => {
  test('S05 tasks that run side by side each see their own address', async () => {
    const seen = new Map<string, Address>()
    const inner = graph('inner', { state: { item: '' } })
      .node('leaf', async ({ item }, ctx) => {
        await new Promise((resolve) => setImmediate(resolve))
        seen.set(`inner ${item}`, ctx.address)
        return {}
      })
      .edge(START, 'leaf')
      .edge('leaf', END)
    const flow = graph('outer', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('tool', async (item: string, ctx) => {
        await inner.invoke({ item })
        seen.set(item, ctx.address)
        return {}
      })
      .edge(START, 'plan')
      .branch(
        'plan',
        () => ['call_1', 'call_2'].map((item) => new Send('tool', item, { key: item })),
        ['tool'],
      )
      .edge('tool', END)
    await new Threads().start(flow)

    expect(new Map([...seen].map(([name, address]) => [name, formatAddress(address)]))).toEqual(
      new Map([
        ['inner call_1', 'node:tool:call_1;runnable:inner;node:leaf'],
        ['inner call_2', 'node:tool:call_2;runnable:inner;node:leaf'],
        ['call_1', 'node:tool:call_1'],
        ['call_2', 'node:tool:call_2'],
      ]),
    )
  })

  // Our rule: a task that waits keeps the state it was started with; its writes meet the state as it is then.
  test('S50 an edit does not reach a task that waits, its writes meet the edited state', async () => {
    const threads = new Threads()
    const flow = graph('edit', { state: { a: 'old', log: list() } })
      .node('ask', async ({ a }) => ({ log: [`${a}:${await interruptForInput('ok?')}`] }))
      .node('after', ({ a, log }) => ({ log: [`${a} after ${log.length}`] }))
      .edge(START, 'ask')
      .edge('ask', 'after')
      .edge('after', END)
    const paused = await threads.start(flow)
    const edited = await threads.resume(flow, paused, { update: { a: 'new', log: ['edit'] } })
    expect(edited.interrupts).toEqual(paused.interrupts)
    const done = await threads.resume(flow, paused, { answer: 'yes' })

    expect(done.state['a']).toBe('new')
    expect((done.state['log'] as string[]).toSorted()).toEqual(['edit', 'new after 2', 'old:yes'])
  })

  // Our rule: the task gets its input back, and what it kept by a step too.
  test('S55 a task that is entered again has its input and what it kept', async () => {
    const threads = new Threads()
    const inputs: string[] = []
    const flow = graph('keep', { state: { text: '', out: '' } })
      .node('ask', async ({ text }) => {
        inputs.push(text)
        const kept = await step('keep', () => text)
        await interruptForInput('ok?')
        return { out: `${kept}_processed` }
      })
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow, { text: 'test_input' })
    const done = await threads.resume(flow, paused, { answer: '' })

    expect(done.state['out']).toBe('test_input_processed')
    expect(inputs).toEqual(['test_input', 'test_input'])
  })

  test('a late task writes where it would have written without the wait', async () => {
    const threads = new Threads()
    const flow = graph('late', { state: { log: list(), last: '' } })
      .node('ask', async () => ({ log: [await interruptForInput('ok?')], last: 'ask' }))
      .node('a', () => ({ log: ['a'] }))
      .node('b', () => ({ log: ['b'], last: 'b' }))
      .edge(START, 'ask')
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('ask', END)
      .edge('b', END)
    const paused = await threads.start(flow)
    expect(paused.state).toEqual({ log: ['a', 'b'], last: 'b' })
    const waited = await threads.resume(flow, paused, { answer: 'A' })
    const straight = await flow.invoke(
      {},
      { onInterrupt: (open) => Object.fromEntries(open.map(({ id }) => [id, 'A'])) },
    )

    expect(waited.state).toEqual({ log: ['A', 'a', 'b'], last: 'b' })
    expect(waited.state).toEqual(straight)
  })

  test('output() gives what a thread gives, its state stays readable', async () => {
    const threads = new Threads()
    const flow = graph('out', { state: { n: 1, log: list() }, output: ({ n }) => n * 2 })
      .node('ask', async ({ n }) => ({ n: n + Number(await interruptForInput('add?')) }))
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow, { n: 3 })
    expect(paused).not.toHaveProperty('output')
    const done = await threads.resume(flow, paused, { answer: '4' })

    expect(done).toMatchObject({ output: 14, state: { n: 7 } })
    expect((await threads.runner().get(done.threadId)).output).toBe(14)
  })

  test('an input with an unknown key or the wrong shape is refused before a thread exists', async () => {
    const threads = new Threads()
    const flow = graph('in', { state: { since: '' } })
      .node('a', () => ({}))
      .edge(START, 'a')
      .edge('a', END)
    await expect(threads.start(flow, { sinse: 'x' }, { threadId: 't' })).rejects.toMatchObject({
      name: 'UnknownNameError',
      hint: 'Did you mean "since"?',
    })
    await expect(threads.start(flow, 'text', { threadId: 't' })).rejects.toMatchObject({
      code: 'E1217',
    })
    await expect(threads.runner().get('t')).rejects.toMatchObject({ name: 'UnknownThreadError' })
  })

  test('an unknown key of a node is an error with a suggestion, and the node runs again', async () => {
    const threads = new Threads()
    let typo = true
    const flow = graph('typo', { state: { count: 0 } })
      .node('a', () => (typo ? { cuont: 1 } : { count: 1 }) as { count: number })
      .edge(START, 'a')
      .edge('a', END)
    const failed = await threads.start(flow)
    expect(failed.error).toMatchObject({
      name: 'UnknownNameError',
      hint: 'Did you mean "count"?',
    })
    typo = false
    expect((await threads.resume(flow, failed)).state).toEqual({ count: 1 })
  })

  test('Send keys name tasks in addresses and answers', async () => {
    const threads = new Threads()
    const flow = graph('keys', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('work', async (item: string) => ({ log: [await interruptForInput(`${item}?`)] }))
      .edge(START, 'plan')
      .branch(
        'plan',
        () => [
          new Send('work', 'x', { key: 'the/first one' }),
          new Send('work', 'y'),
          new Send('work', 'z', { key: 'the/first one' }),
        ],
        ['work'],
      )
      .edge('work', END)
    const paused = await threads.start(flow)
    expect(paused.interrupts.map(({ key }) => key)).toEqual([
      'node:work:the%2Ffirst%20one',
      'node:work:1',
      'node:work:the%2Ffirst%20one',
    ])
    const half = await threads.resume(flow, paused, { answers: { 'node:work:1': 'Y' } })
    expect(messages(half)).toEqual(['x?', 'z?'])
    const done = await threads.resume(flow, half, {
      answers: Object.fromEntries(half.interrupts.map(({ id, message }) => [id, message])),
    })
    expect(done.state['log']).toEqual(['x?', 'Y', 'z?'])
  })

  test('a question that changes while it is open takes the new text and keeps its id', async () => {
    const threads = new Threads()
    let text = 'one?'
    const flow = graph('two', { state: { log: list() } })
      .node('a', async () => ({ log: [await interruptForInput('a?')] }))
      .node('b', async () => ({
        log: await Promise.all([interruptForInput(text), interruptForInput('other?')]),
      }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const paused = await threads.start(flow)
    text = 'two?'
    const other = paused.interrupts.find(({ message }) => message === 'other?')
    const next = await threads.resume(flow, paused, { answers: { [other?.id ?? '']: 'O' } })
    const before = paused.interrupts.find(({ message }) => message === 'one?')
    const now = next.interrupts.find(({ message }) => message === 'two?')
    expect(now).toMatchObject({ id: before?.id, changedFrom: { message: 'one?' } })

    const done = await threads.resume(flow, next, {
      answers: {
        [now?.id ?? '']: 'T',
        [question({ interrupts: next.interrupts.filter(({ message }) => message === 'a?') }).id]:
          'A',
      },
      digests: { [now?.id ?? '']: now?.digest ?? '' },
    })
    expect(done.state['log']).toEqual(['A', 'T', 'O'])
  })
})
