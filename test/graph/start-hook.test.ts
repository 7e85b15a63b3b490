import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  getResumeContext,
  graph,
  interruptForInput,
  interruptSignal,
  InvalidAnswerError,
  NoScopeError,
  START,
} from '../../src/index.ts'
import { messages, question, Threads } from '../support/threads.ts'

/** Counts how often a process began to run it. */
const counting = (told: boolean[] = []) =>
  graph('counting', { state: { counter: 0, seen: 0 }, onStart: start(told) })
    .node('ask', async ({ counter }) => {
      if (!getResumeContext().isResumeTarget) throw interruptSignal('go on?')
      return { seen: counter }
    })
    .edge(START, 'ask')
    .edge('ask', END)

function start(told: boolean[]) {
  return (state: { readonly counter: number }, { resumed }: { readonly resumed: boolean }) => {
    told.push(resumed)
    return { counter: state.counter + 1 }
  }
}

describe('a start hook', () => {
  test('S64 runs at the start and at the resume, and the node that is entered again reads what it wrote', async () => {
    const threads = new Threads()
    const told: boolean[] = []
    const flow = counting(told)
    const paused = await threads.start(flow)
    expect(paused.state).toMatchObject({ counter: 1 })
    const done = await threads.resume(flow, paused, { answer: true })

    expect(told).toEqual([false, true])
    expect(done.state).toEqual({ counter: 2, seen: 2 })
  })

  test('S64 of a subgraph runs with it, and its writes go the way of all others', async () => {
    const threads = new Threads()
    const log = () => channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })
    const inner = graph('inner', {
      state: { log: log(), note: '' },
      onStart: (_state, { resumed }) => ({ log: [resumed ? 'again' : 'begun'], note: 'hook' }),
    })
      .node('ask', async () => ({ log: [await interruptForInput('say?')] }))
      .edge(START, 'ask')
      .edge('ask', END)
    const outer = graph('outer', { state: { log: log(), note: '' } })
      .node('inner', inner)
      .edge(START, 'inner')
      .edge('inner', END)
    const paused = await threads.start(outer)
    const done = await threads.resume(outer, paused, { answer: 'said' })
    expect(done.state).toEqual({ log: ['begun', 'again', 'said'], note: 'hook' })
  })

  test('writes nothing when the answer is refused', async () => {
    const threads = new Threads()
    const flow = graph('refusing', {
      state: { counter: 0, said: '' },
      onStart: ({ counter }) => ({ counter: counter + 1 }),
    })
      .node('ask', async () => ({
        said: await interruptForInput('say?', { validate: (text) => text !== 'no' }),
      }))
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow)
    await expect(threads.resume(flow, paused, { answer: 'no' })).rejects.toThrow(InvalidAnswerError)
    const view = await threads.runner().get(paused.threadId)
    expect(view).toMatchObject({ version: paused.version, state: { counter: 1 } })

    const done = await threads.resume(flow, paused, { answer: 'yes' })
    expect(done.state).toEqual({ counter: 2, said: 'yes' })
  })

  test('that fails fails the run, and runs again with the next', async () => {
    const threads = new Threads()
    let broken = true
    const flow = graph('fragile', {
      state: { counter: 0 },
      onStart: ({ counter }) => {
        if (broken) throw new Error('not ready')
        return { counter: counter + 1 }
      },
    })
      .node('ask', () => undefined)
      .edge(START, 'ask')
      .edge('ask', END)
    const failed = await threads.start(flow)
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('not ready')

    broken = false
    expect(await threads.resume(flow, failed)).toMatchObject({
      status: 'completed',
      state: { counter: 1 },
    })
  })

  test('may not ask, and may write only declared keys', async () => {
    const threads = new Threads()
    const hooked = (onStart: () => never) =>
      graph('hooked', { state: { note: '' }, onStart })
        .node('one', () => undefined)
        .edge(START, 'one')
        .edge('one', END)
    const asking = await threads.start(hooked(() => interruptForInput('who?') as never))
    expect(asking.error).toBeInstanceOf(NoScopeError)
    expect(asking.error?.message).toContain('in a start hook')
    const wrong = await threads.start(hooked(() => ({ nota: 1 }) as never))
    expect(wrong.error?.message).toContain('nota')
  })
})

describe('what is made for a node', () => {
  test('S54 is asked for before the node, and the input is not lost', async () => {
    const threads = new Threads()
    const entered: string[] = []
    const flow = graph('prehandled', { state: { text: '' } })
      .node(
        '1',
        (input: string) => {
          entered.push(input)
          return { text: `${input}1` }
        },
        {
          prepare: ({ text }) => {
            if (!getResumeContext().isResumeTarget) throw interruptSignal('prepare?')
            return text
          },
        },
      )
      .edge(START, '1')
      .edge('1', END)
    const paused = await threads.start(flow, { text: 'input' })
    expect(messages(paused)).toEqual(['prepare?'])
    expect(question(paused).address).toEqual([{ type: 'node', id: '1' }])
    const done = await threads.resume(flow, paused, { answer: undefined })

    expect(done.state).toEqual({ text: 'input1' })
    expect(entered).toEqual(['input'])
  })

  test('S54 may be asked for by a call, whose answer is there at every later entry', async () => {
    const threads = new Threads()
    const flow = graph('twice', { state: { text: '' } })
      .node(
        'both',
        async (input: { text: string; tone: string }) => ({
          text: `${input.text} ${input.tone} ${await interruptForInput('end?')}`,
        }),
        { prepare: async ({ text }) => ({ text, tone: await interruptForInput('tone?') }) },
      )
      .edge(START, 'both')
      .edge('both', END)
    const first = await threads.start(flow, { text: 'in' })
    const second = await threads.resume(flow, first, { answer: 'kind' })
    const done = await threads.resume(flow, second, { answer: 'out' })
    expect([messages(first), messages(second)]).toEqual([['tone?'], ['end?']])
    expect(done.state).toEqual({ text: 'in kind out' })
  })

  test('S50 is made again of the state as it was changed while the node waited', async () => {
    const threads = new Threads()
    const flow = graph('rerun', { state: { A: '', out: '' } })
      .node(
        'node',
        (input: string) => {
          if (!getResumeContext().isResumeTarget) throw interruptSignal('again?')
          return { out: input }
        },
        { prepare: ({ A }) => A },
      )
      .edge(START, 'node')
      .edge('node', END)
    const paused = await threads.start(flow, { A: 'first' })
    await threads.runner().update(paused.threadId, { update: { A: 'state' } }, { flow })
    const done = await threads.resume(flow, paused, { answer: undefined })
    expect(done.state).toEqual({ A: 'state', out: 'state' })
  })

  test('S74 gets its prefix once, also when the node was abandoned in between', async () => {
    const threads = new Threads()
    let release: () => void = () => undefined
    const reached = new Promise<void>((done) => {
      release = done
    })
    let slow = true
    const flow = graph('prefix', { state: { text: '' } })
      .node(
        'slow',
        async (input: string) => {
          release()
          if (slow) await new Promise(() => undefined)
          return { text: input }
        },
        { prepare: ({ text }) => `prefix_${text}` },
      )
      .edge(START, 'slow')
      .edge('slow', END)
    const run = threads.run(flow, { text: 'input' })
    await reached
    run.cancel('immediate')
    const stopped = await run.result
    slow = false
    expect((await threads.resume(flow, stopped)).state).toEqual({ text: 'prefix_input' })
  })
})
