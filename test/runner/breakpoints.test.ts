import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  graph,
  interruptForInput,
  segment,
  START,
  UnknownNameError,
} from '../../src/index.ts'
import { eventsOf, Latch, messages, question, startedNodes, Threads } from '../support/threads.ts'

/** one, two, three: each adds its digit. */
const chain = () =>
  graph('chain', { state: { text: '' } })
    .node('one', ({ text }) => ({ text: `${text}1` }))
    .node('two', ({ text }) => ({ text: `${text}2` }))
    .node('three', ({ text }) => ({ text: `${text}3` }))
    .edge(START, 'one')
    .edge('one', 'two')
    .edge('two', 'three')
    .edge('three', END)

describe('breakpoints of a run', () => {
  test('a later resume keeps them, and stops at the next one', async () => {
    const threads = new Threads()
    const flow = chain()
    const first = await threads.start(flow, {}, { breakAfter: ['one'], breakBefore: ['three'] })
    expect(messages(first)).toEqual(['Stopped after one'])
    expect((await threads.runner().get(first.threadId)).meta).toMatchObject({
      breakAfter: ['one'],
      breakBefore: ['three'],
    })
    const second = await threads.resume(flow, first)
    expect(messages(second)).toEqual(['Stopped before three'])

    expect(await threads.resume(flow, second)).toMatchObject({
      status: 'completed',
      state: { text: '123' },
    })
  })

  test('a resume may set others, which are kept instead', async () => {
    const threads = new Threads()
    const flow = chain()
    const first = await threads.start(flow, {}, { breakBefore: ['one', 'three'] })
    const second = await threads.resume(flow, first, {}, { breakBefore: ['two'] })
    expect(messages(second)).toEqual(['Stopped before two'])
    expect((await threads.runner().get(first.threadId)).meta.breakBefore).toEqual(['two'])

    expect((await threads.resume(flow, second)).status).toBe('completed')
  })

  test('an empty list takes them away', async () => {
    const threads = new Threads()
    const flow = chain()
    const first = await threads.start(flow, {}, { breakBefore: ['one', 'three'] })

    const done = await threads.resume(flow, first, {}, { breakBefore: [] })
    expect(done.status).toBe('completed')
  })

  test('those of the runner count where nothing else was said', async () => {
    const threads = new Threads({ breakBefore: ['two'] })
    const first = await threads.start(chain())
    expect(messages(first)).toEqual(['Stopped before two'])

    expect(messages(await threads.start(chain(), {}, { breakBefore: ['three'] }))).toEqual([
      'Stopped before three',
    ])
  })

  test('a name nobody has is refused before anything is written, with the nearest', async () => {
    const threads = new Threads()
    const started = threads.start(chain(), {}, { threadId: 't', breakBefore: ['tree'] })
    await expect(started).rejects.toThrow(UnknownNameError)
    await expect(started).rejects.toMatchObject({ hint: 'Did you mean "three"?' })
    await expect(threads.runner().get('t')).rejects.toMatchObject({ code: 'E1301' })

    const first = await threads.start(chain(), {}, { breakBefore: ['two'] })
    await expect(
      threads.resume(chain(), first, {}, { breakAfter: ['towo'] }),
    ).rejects.toMatchObject({ hint: 'Did you mean "two"?' })
    expect((await threads.runner().get(first.threadId)).version).toBe(first.version)
  })

  // Our rule: an edit while it stops replaces the nested state there and then, by the graph around.
  test('S47 a stop inside a subgraph names where it is, and a resume goes on there', async () => {
    const ran: string[] = []
    const inner = graph('sub', { state: { text: '' } })
      .node('1', ({ text }) => {
        ran.push('sub1')
        return { text: `${text}1` }
      })
      .node('2', ({ text }) => {
        ran.push('sub2')
        return { text: `${text}2` }
      })
      .edge(START, '1')
      .edge('1', '2')
      .edge('2', END)
    const outer = graph('outer', { state: { text: '' } })
      .node('start', ({ text }) => {
        ran.push('start')
        return { text: `${text}1` }
      })
      .node('sub', inner)
      .node('3', ({ text }) => ({ text: `${text}3` }))
      .edge(START, 'start')
      .edge('start', 'sub')
      .edge('sub', '3')
      .edge('3', END)
    const threads = new Threads()
    const run = threads.run(outer, { text: 'start' }, { breakAfter: ['1'] })
    const events = await eventsOf(run)
    const stopped = await run.result
    expect(question(stopped)).toMatchObject({
      kind: 'breakpoint',
      payload: { when: 'after', node: '1' },
      address: [
        { type: 'node', id: 'sub' },
        { type: 'node', id: '1' },
      ],
    })
    expect(startedNodes(events)).toEqual(['start', 'sub', '1'])

    expect((await threads.resume(outer, stopped)).state).toEqual({ text: 'start1123' })
    expect(ran).toEqual(['start', 'sub1', 'sub2'])
  })

  test('S47 a stop inside a subgraph goes on with the state it was given there', async () => {
    const inner = graph('sub', { state: { text: '' } })
      .node('1', ({ text }) => ({ text: `${text}1` }))
      .node('2', ({ text }) => ({ text: `${text}2` }))
      .edge(START, '1')
      .edge('1', '2')
      .edge('2', END)
    const outer = graph('outer', { state: { text: '', before: '' } })
      .node('first', ({ text }) => ({ text: `${text}1`, before: `${text}1` }))
      .node('2', inner)
      .node('3', ({ before, text }) => ({ text: `${before}${text}3` }))
      .edge(START, 'first')
      .edge('first', '2')
      .edge('2', '3')
      .edge('3', END)
    const threads = new Threads()
    const stopped = await threads.start(outer, { text: 'start' }, { breakAfter: ['1'] })
    const within = [segment('node', '2')]
    const { state } = await threads.runner().get(stopped.threadId, { within })
    expect(state).toEqual({ text: 'start11' })
    const update = { text: '1state' }
    await threads.runner().update(stopped.threadId, { update }, { flow: outer, within })

    const done = await threads.resume(outer, stopped)
    expect(done.state['text']).toBe('start11state23')
  })

  test('S50 a task that stopped before its node reads the state as it was edited meanwhile', async () => {
    const threads = new Threads()
    const flow = chain()
    const stopped = await threads.start(flow, {}, { breakBefore: ['two'] })
    const edited = await threads
      .runner()
      .update(stopped.threadId, { update: { text: 'state' } }, { flow })
    expect(edited).toMatchObject({ status: 'suspended', state: { text: 'state' } })
    const view = await threads.runner().get(stopped.threadId)
    expect(view).toMatchObject({ status: 'suspended', state: { text: 'state' } })
    expect(messages(view)).toEqual(['Stopped before two'])

    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'state23' })
  })
})

describe('a stop that is asked for', () => {
  test('S69 an abort of the caller leaves what is finished, and a resume goes on', async () => {
    const latch = new Latch()
    const signals: AbortSignal[] = []
    const flow = graph('slow', { state: { text: '' } })
      .node('one', ({ text }) => ({ text: `${text}1` }))
      .node('two', async ({ text }, { signal }) => {
        signals.push(signal)
        await latch.wait()
        return { text: `${text}2` }
      })
      .edge(START, 'one')
      .edge('one', 'two')
      .edge('two', END)
    const threads = new Threads()
    const run = threads.run(flow)
    await latch.reached
    run.cancel('immediate', 'the caller aborted')
    const stopped = await run.result
    latch.open()

    expect(stopped).toMatchObject({
      status: 'suspended',
      state: { text: '1' },
      stopped: { by: 'the caller aborted' },
    })
    expect(signals[0]?.aborted).toBe(true)
    expect((await threads.resume(flow, stopped)).state).toEqual({ text: '12' })
  })

  // Our rule: what a handler before a node would do is a node of its own, or done inside it.
  test.each([
    [
      'S70 a deadline lets the running node finish in time',
      60_000,
      { text: 'input1' },
      ['one', 'two'],
    ],
    ['S71 a deadline abandons it when its time is up', 0, { text: 'input' }, ['one', 'one', 'two']],
  ] as const)('%s', async (_title, patience, state, order) => {
    const latch = new Latch()
    const ran: string[] = []
    const flow = graph('slow', { state: { text: '' } })
      .node('one', async ({ text }) => {
        ran.push('one')
        if (ran.length === 1) await latch.wait()
        return { text: `${text}1` }
      })
      .node('two', ({ text }) => {
        ran.push('two')
        return { text: `${text}2` }
      })
      .edge(START, 'one')
      .edge('one', 'two')
      .edge('two', END)
    const threads = new Threads()
    const run = threads.run(flow, { text: 'input' })
    await latch.reached
    run.cancel('graceful', 'deploy', { patience })
    if (patience > 0) latch.open()
    const stopped = await run.result
    latch.open()

    expect(stopped).toMatchObject({ status: 'suspended', state, stopped: { by: 'deploy' } })
    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'input12' })
    expect(ran).toEqual(order)
  })

  test('S74 what an abandoned node was given it is given once', async () => {
    const latch = new Latch()
    const flow = graph('prefix', { state: { text: '' } })
      .node('prefix', ({ text }) => ({ text: `prefix_${text}` }))
      .node('slow', async ({ text }) => {
        await latch.wait()
        return { text: `${text}!` }
      })
      .edge(START, 'prefix')
      .edge('prefix', 'slow')
      .edge('slow', END)
    const threads = new Threads()
    const run = threads.run(flow, { text: 'in' })
    await latch.reached
    run.cancel('immediate')
    const stopped = await run.result
    latch.open()

    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'prefix_in!' })
  })

  test.each(['graceful', 'immediate'] as const)(
    'S76 a stop (%s) in the moment a node ends wins, and the result is not lost',
    async (mode) => {
      let ran = 0
      const held: { stop?: () => void } = {}
      const flow = graph('race', {
        state: { log: channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] }) },
      })
        .node('one', async () => {
          ran += 1
          await Promise.resolve()
          if (ran === 1) held.stop?.()
          return { log: ['one'] }
        })
        .node('two', () => ({ log: ['two'] }))
        .edge(START, 'one')
        .edge('one', 'two')
        .edge('two', END)
      const threads = new Threads()
      const run = threads.run(flow)
      held.stop = () => run.cancel(mode)
      const stopped = await run.result

      expect(stopped.status).toBe('suspended')
      expect((await threads.resume(flow, stopped)).state).toEqual({ log: ['one', 'two'] })
      expect(ran).toBe(mode === 'graceful' ? 1 : 2)
    },
  )

  test('a graceful stop leaves the questions that are open', async () => {
    const flow = graph('asks', { state: { name: '' } })
      .node('ask', async () => ({ name: await interruptForInput('name?') }))
      .edge(START, 'ask')
      .edge('ask', END)
    const threads = new Threads()
    const run = threads.run(
      flow,
      {},
      {
        onInterrupt: (_open, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(undefined))
            run.cancel('graceful', 'enough')
          }),
      },
    )
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', stopped: { by: 'enough' } })

    const done = await threads.resume(flow, stopped, { answer: 'Ann' })
    expect(done.state).toEqual({ name: 'Ann' })
  })
})
