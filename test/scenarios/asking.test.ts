import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  END,
  flow,
  graph,
  channel,
  interrupt,
  interruptForApproval,
  interruptForChoice,
  interruptForInput,
  NoScopeError,
  NoStoreError,
  Runner,
  START,
  ThreadClosedError,
  ThreadExistsError,
  UnknownThreadError,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { slowStore } from '../support/slow-store.ts'
import {
  eventsOf,
  messages,
  question,
  questionAsking,
  startedNodes,
  Threads,
} from '../support/threads.ts'

const append = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** Asks only in one market. */
const tariff = graph('tariff', { state: { market: '', log: append() } })
  .node('price', async ({ market }) =>
    market === 'DE' ? { log: [await interruptForInput('Which rate?')] } : { log: ['flat'] },
  )
  .edge(START, 'price')
  .edge('price', END)

describe('a question whose save takes its time', () => {
  test.each([
    ['a graph', tariff],
    ['a flow', flow('two', async () => ({ log: [await interruptForInput('Which rate?')] }))],
    [
      'a nested graph',
      graph('outer', { state: { market: '', log: append() } })
        .node('inner', tariff)
        .edge(START, 'inner')
        .edge('inner', END),
    ],
  ])('is asked before the run comes to rest: %s', async (_name, asking) => {
    const runner = new Runner({
      store: slowStore(memoryStore()),
      onInterrupt: ([open]) => ({ [open?.id ?? '']: 'seven' }),
    })
    const result = await runner.invoke(asking, { market: 'DE' })
    expect(result.status).toBe('completed')
  })
})

describe('asking and answering', () => {
  test('L01 an answer goes to the question that was asked', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    expect(paused.status).toBe('suspended')
    expect(messages(paused)).toEqual(['Which rate?'])

    const run = threads.resumeRun(tariff, paused, { answer: ' my answer' })
    const events = await eventsOf(run)
    const result = await run.result

    expect(startedNodes(events)).toEqual(['price'])
    expect(result.status).toBe('completed')
    expect(result.state).toEqual({ market: 'DE', log: [' my answer'] })
  })

  // Our rule: a thread without an id gets one; only naming an unknown one is an error.
  test('L03 a thread without an id gets one', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    expect(paused.threadId).toMatch(/^[0-9a-z]{10}$/u)

    const other = threads.resume(tariff, 'nobody', { answer: 'x' })
    await expect(other).rejects.toThrow(UnknownThreadError)
    await expect(other).rejects.toThrow('"nobody"')
  })

  test('L04 a graph that does not ask needs no store', async () => {
    const result = await new Runner().invoke(tariff, { market: 'US' })

    expect(result).toMatchObject({ status: 'completed', state: { market: 'US', log: ['flat'] } })
  })

  test('L05 a paused thread shows its node, task and question', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    const view = await threads.runner().get(paused.threadId)

    expect(view.next).toEqual(['price'])
    expect(view.tasks).toEqual([
      {
        id: expect.any(String) as string,
        node: 'price',
        step: 1,
        status: 'parked',
        interrupts: [question(paused).id],
      },
    ])
    expect(view.interrupts).toEqual(paused.interrupts)
    expect(view.state).toEqual({ market: 'DE', log: [] })
    expect(question(view).address).toEqual([{ type: 'node', id: 'price' }])
    const history = await threads.runner().history(paused.threadId)
    expect(history.length).toBeGreaterThan(1)
    expect(history[0]).toMatchObject({ version: view.version, status: 'suspended' })
  })

  // Our rule: a question is saved before it is shown, in every mode; nothing else is until the end.
  test('L07 durability exit saves only the question and the end', async () => {
    const threads = new Threads({ durability: 'exit' })
    const steps = graph('three', { state: { log: append() } })
      .node('a', () => ({ log: ['a'] }))
      .node('b', () => ({ log: ['b'] }))
      .node('c', async () => ({ log: [await interruptForInput('c?')] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', 'c')
      .edge('c', END)
    const paused = await threads.start(steps)
    const labels = (await threads.runner().history(paused.threadId)).map(({ label }) => label)

    expect(labels.filter((label) => label.startsWith('superstep'))).toHaveLength(0)
    const done = await threads.resume(steps, paused, { answer: 'C' })
    expect(done.state).toEqual({ log: ['a', 'b', 'C'] })
  })

  test('L08 goto END leaves nothing to do and keeps the values', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    const ended = await threads.resume(tariff, paused, { goto: END })
    const view = await threads.runner().get(paused.threadId)

    expect(ended.status).toBe('completed')
    expect(view).toMatchObject({ next: [], tasks: [], interrupts: [], state: { market: 'DE' } })
    expect(view.answered).toMatchObject([{ id: question(paused).id, status: 'cancelled' }])
  })

  test('L09 an update is folded on top of an answer', async () => {
    const threads = new Threads()
    const two = graph('two', { state: { log: append() } })
      .node('a', async () => ({ log: [await interruptForInput('a?')] }))
      .node('b', async () => ({ log: [await interruptForInput('b?')] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const first = await threads.start(two)
    const second = await threads.resume(two, first, { answer: 'A' })
    const updated = await threads.resume(two, second, { update: { log: ['edit'] } })

    expect(updated.state).toEqual({ log: ['A', 'edit'] })
    expect(question(updated).id).toBe(question(second).id)
    const done = await threads.resume(two, second, { answer: 'B' })
    expect(done.state['log']).toContain('edit')
    expect(done.state['log']).toHaveLength(3)
  })

  test('L11 parallel questions take their answers by id', async () => {
    const threads = new Threads()
    const pair = graph('pair', { state: { a: '', b: '' } })
      .node('left', async () => ({ a: await interruptForInput('left?') }))
      .node('right', async () => ({ b: await interruptForInput('right?') }))
      .edge(START, 'left')
      .edge(START, 'right')
      .edge('left', END)
      .edge('right', END)
    const paused = await threads.start(pair)
    expect(messages(paused)).toEqual(['left?', 'right?'])

    const done = await threads.resume(pair, paused, {
      answers: {
        [questionAsking(paused, 'right?').id]: 'R',
        [questionAsking(paused, 'left?').id]: 'L',
      },
    })

    expect(done).toMatchObject({ status: 'completed', state: { a: 'L', b: 'R' } })
  })

  // Our rule: a new input is a new thread; the id of an old one is refused.
  test('L12 a resume without an answer runs nothing again', async () => {
    const threads = new Threads()
    const ran = { slow: 0, ask: 0 }
    const beside = graph('beside', { state: { slow: 0, answer: '' } })
      .node('slow', async () => ({ slow: (ran.slow += 1) }))
      .node('ask', async () => {
        ran.ask += 1
        return { answer: await interruptForInput('ok?') }
      })
      .edge(START, 'slow')
      .edge(START, 'ask')
      .edge('slow', END)
      .edge('ask', END)
    const paused = await threads.start(beside, {}, { threadId: 't' })
    expect(paused.state).toEqual({ slow: 1, answer: '' })

    const again = await threads.resume(beside, 't')
    expect(again.interrupts).toEqual(paused.interrupts)
    expect(ran).toEqual({ slow: 1, ask: 1 })
    await expect(threads.start(beside, {}, { threadId: 't' })).rejects.toThrow(ThreadExistsError)
    await threads.start(beside, {}, { threadId: 'other' })
    expect(ran).toEqual({ slow: 2, ask: 2 })
  })

  test('L15 resuming needs a store', async () => {
    const resumed = new Runner().resume('t', { answer: 1 }, { flow: tariff }).result

    await expect(resumed).rejects.toThrow(NoStoreError)
    await expect(resumed).rejects.toThrow('store')
  })

  // Our rule: a completed thread is closed; goto works while it waits.
  test('L16 goto enters an asking node with the update in its state', async () => {
    const threads = new Threads()
    const jump = graph('jump', { state: { seen: '', log: append() } })
      .node('wait', async () => ({ log: [await interruptForInput('wait?')] }))
      .node('ask', async ({ seen, log }) => ({
        seen: `${seen}:${log.join()}`,
        log: [await interruptForInput('ask?')],
      }))
      .edge(START, 'wait')
      .edge('wait', 'ask')
      .edge('ask', END)
    const paused = await threads.start(jump)
    const jumped = await threads.resume(jump, paused, {
      goto: 'ask',
      update: { seen: 'edit', log: ['u'] },
    })
    expect(messages(jumped)).toEqual(['ask?'])
    expect(jumped.state).toEqual({ seen: 'edit', log: ['u'] })

    const done = await threads.resume(jump, paused, { answer: 'A' })
    expect(done.state).toEqual({ seen: 'edit:u', log: ['u', 'A'] })
    await expect(threads.resume(jump, paused, { goto: 'ask' })).rejects.toThrow(ThreadClosedError)
  })

  test('L17 a command with only an update passes a breakpoint', async () => {
    const threads = new Threads()
    const one = graph('one', { state: { value: 'old', seen: '' }, breakBefore: ['first'] })
      .node('first', ({ value }) => ({ seen: value }))
      .edge(START, 'first')
      .edge('first', END)
    const stopped = await threads.start(one)
    expect(question(stopped)).toMatchObject({ kind: 'breakpoint', message: 'Stopped before first' })

    const done = await threads.resume(one, stopped, { update: { value: 'new' } })

    expect(done).toMatchObject({ status: 'completed', state: { value: 'new', seen: 'new' } })
  })

  test('L19 text outside ASCII survives a pause', async () => {
    const threads = new Threads()
    const text = 'Gipfel ⛰️ 東京 👩‍👩‍👧 \u0000 "\\'
    const echo = graph('⛰️', { state: { text: '', answer: '' } })
      .node('höhe', async (s) => ({ answer: await interruptForInput(s.text) }))
      .edge(START, 'höhe')
      .edge('höhe', END)
    const paused = await threads.start(echo, { text })
    expect(question(paused).message).toBe(text)

    const done = await threads.resume(echo, paused, { answer: text })

    expect(done.state).toEqual({ text, answer: text })
  })

  test('L20 events of a graph invoked in a node lie below the node', async () => {
    const inner = graph('inner', { state: { x: 1 } })
      .node('leaf', ({ x }) => ({ x: x + 1 }))
      .edge(START, 'leaf')
      .edge('leaf', END)
    const outer = graph('outer', { state: { x: 0 } })
      .node('call', async () => inner.invoke({ x: 5 }) as Promise<{ x: number }>)
      .edge(START, 'call')
      .edge('call', END)
    const run = new Threads().run(outer)
    const events = await eventsOf(run)

    expect((await run.result).state).toEqual({ x: 6 })
    const leaf = events.find((event) => event.type === 'node:start' && event.node === 'leaf')
    expect(leaf?.address).toEqual([
      { type: 'node', id: 'call' },
      { type: 'runnable', id: 'inner' },
      { type: 'node', id: 'leaf' },
    ])
  })
})

describe('blocking questions', () => {
  test('S158 an answered question is gone from what waits', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    const before = await threads.runner().pending()
    expect(before.items.map((item) => item.threadId)).toEqual([paused.threadId])
    expect((await threads.runner().get(paused.threadId)).status).toBe('suspended')

    const done = await threads.resume(tariff, paused, { answer: 'low' })

    expect(done.state).toMatchObject({ log: ['low'] })
    expect((await threads.runner().pending()).items).toEqual([])
  })

  test('S159 asking outside a flow is an error, as is a thread that is not there', async () => {
    expect(() => interrupt('who?')).toThrow(NoScopeError)
    expect(() => interruptForApproval('ok?')).toThrow(NoScopeError)
    const threads = new Threads()
    await expect(threads.resume(tariff, 'none', { answer: 1 })).rejects.toThrow(UnknownThreadError)
    await expect(threads.runner().cancel('none')).rejects.toThrow(UnknownThreadError)
  })

  test('S160 cancelling a thread closes it with the reason', async () => {
    const threads = new Threads()
    const paused = await threads.start(tariff, { market: 'DE' })
    const view = await threads.runner().cancel(paused.threadId, 'bad input')

    expect(view).toMatchObject({ status: 'cancelled', interrupts: [] })
    expect(view.error?.message).toContain('bad input')
    await expect(threads.resume(tariff, paused, { answer: 'x' })).rejects.toThrow(ThreadClosedError)
  })

  test('S161 two questions of one thread are answered apart', async () => {
    const threads = new Threads()
    const both = flow('both', async () =>
      Promise.all([interruptForInput('one?'), interruptForInput('two?')]),
    )
    const paused = await threads.start(both)
    expect(messages(paused)).toEqual(['one?', 'two?'])

    const half = await threads.resume(both, paused, {
      answers: { [questionAsking(paused, 'two?').id]: '2' },
    })
    expect(question(half).id).toBe(questionAsking(paused, 'one?').id)
    const done = await threads.resume(both, paused, { answer: '1' })
    expect(done.output).toEqual(['1', '2'])
  })

  test('S164 an answer outside the choices is refused', async () => {
    const threads = new Threads()
    const pick = flow('pick', async () => interruptForChoice('Which?', ['a', 'b']))
    const paused = await threads.start(pick)
    await expect(threads.resume(pick, paused, { answer: 'c' })).rejects.toMatchObject({
      name: 'InvalidAnswerError',
      code: 'E1202',
    })

    expect((await threads.resume(pick, paused, { answer: 'b' })).output).toBe('b')
  })
})

describe('schemas of graphs that pause', () => {
  test('L44 an input schema does not break the resume', async () => {
    const threads = new Threads()
    const sub = graph('sub', { state: { messages: append(), rate: '' } })
      .node('ask', async () => ({ messages: [await interruptForInput('rate?')] }))
      .edge(START, 'ask')
      .edge('ask', END)
    const outer = graph('outer', {
      input: z.object({ count: z.coerce.number(), at: z.coerce.date() }),
      state: { count: 0, at: new Date(0), messages: append() },
    })
      .node('sub', sub)
      .edge(START, 'sub')
      .edge('sub', END)
    const paused = await threads.start(outer, { count: '3', at: '2024-01-01' })
    const done = await threads.resume(outer, paused, { answer: 'R' })

    expect(done.state).toEqual({ count: 3, at: new Date('2024-01-01'), messages: ['R'] })
  })
})
