import { describe, expect, test } from 'vitest'

import { END, FlowChangedError, graph, interruptForInput, START } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { Threads } from '../support/threads.ts'

type State = { note: string }
const ask = async (): Promise<State> => ({ note: await interruptForInput('note?') })

/** pre, then a node that asks. */
const flat = (name = 'ask') =>
  graph('flow', { state: { note: '' } })
    .node('pre', () => ({}))
    .node(name, ask)
    .edge(START, 'pre')
    .edge('pre', name)
    .edge(name, END)

/** The same, with the question inside a graph. */
const nested = (name = 'ask', inside = 'inner') => {
  const inner = graph('sub', { state: { note: '' } })
    .node(inside, ask)
    .edge(START, inside)
    .edge(inside, END)
  return graph('flow', { state: { note: '' } })
    .node('pre', () => ({}))
    .node(name, inner)
    .edge(START, 'pre')
    .edge('pre', name)
    .edge(name, END)
}

describe('check', () => {
  test('S175 tells for each waiting thread whether it goes on, and runs nothing', async () => {
    const threads = new Threads()
    for (const threadId of ['a', 'b']) await threads.start(flat(), {}, { threadId })
    const done = await threads.start(flat(), {}, { threadId: 'done' })
    await threads.resume(flat(), done, { answer: 'x' })
    const versions = async (): Promise<unknown> => (await threads.runner().threads()).items
    const before = await versions()

    expect(await threads.runner().check(flat())).toEqual([
      { threadId: 'a', verdict: 'resumes' },
      { threadId: 'b', verdict: 'resumes' },
    ])
    expect(await threads.runner().check(flat('asks'))).toMatchObject([
      {
        threadId: 'a',
        verdict: 'stuck',
        why: expect.stringContaining('"ask"') as string,
        fix: expect.stringContaining('"asks"') as string,
      },
      { threadId: 'b', verdict: 'stuck' },
    ])
    expect(await versions()).toEqual(before)
  })

  test('a question in a subgraph is looked for there', async () => {
    const threads = new Threads()
    await threads.start(nested(), {}, { threadId: 'a' })

    expect(await threads.runner().check(nested())).toMatchObject([{ verdict: 'resumes' }])
    expect(await threads.runner().check(nested('ask', 'innen'))).toMatchObject([
      { verdict: 'stuck', fix: expect.stringContaining('"innen"') as string },
    ])
  })

  test.each([
    ['code that becomes a graph', flat(), nested(), 'was a function and is a subgraph'],
    ['a graph that becomes code', nested(), flat(), 'was a subgraph and is a function'],
  ])('%s is stuck, and a resume refuses it', async (_what, before, after, why) => {
    const threads = new Threads()
    const paused = await threads.start(before, {}, { threadId: 'a' })
    expect(await threads.runner().check(after)).toMatchObject([
      { verdict: 'stuck', why: expect.stringContaining(why) as string },
    ])
    await expect(threads.resume(after, 'a', { answer: 'x' })).rejects.toThrow(FlowChangedError)
    expect((await threads.runner().get('a')).version).toBe(paused.version)

    expect((await threads.resume(before, 'a', { answer: 'x' })).status).toBe('completed')
  })

  test('a state key that is gone needs a migration', async () => {
    const threads = new Threads()
    await threads.start(flat(), {}, { threadId: 'a' })
    const other = graph('flow', { state: { remark: '' } })
      .node('pre', () => ({}))
      .node('ask', async () => ({ remark: await interruptForInput('note?') }))
      .edge(START, 'pre')
      .edge('pre', 'ask')
      .edge('ask', END)

    expect(await threads.runner().check(other)).toMatchObject([
      { verdict: 'needs migration', why: expect.stringContaining('"note"') as string },
    ])
  })

  test('a state key of a subgraph that is gone needs a migration too', async () => {
    const threads = new Threads()
    const around = (key: string) =>
      graph('flow', { state: {} })
        .node(
          'sub',
          graph('sub', { state: { [key]: '' } })
            .node('ask', async () => ({ [key]: await interruptForInput('note?') }))
            .edge(START, 'ask')
            .edge('ask', END),
        )
        .edge(START, 'sub')
        .edge('sub', END)
    await threads.start(around('note'), {}, { threadId: 'a' })

    expect(await threads.runner().check(around('note'))).toMatchObject([{ verdict: 'resumes' }])
    expect(await threads.runner().check(around('remark'))).toMatchObject([
      { verdict: 'needs migration', why: expect.stringContaining('"note"') as string },
    ])
  })

  test('every page of threads is looked at', async () => {
    const threads = new Threads()
    for (let n = 0; n < 110; n += 1) await threads.start(flat())

    expect(await threads.runner().check(flat())).toHaveLength(110)
  })
})

describe('a thread whose place is gone', () => {
  test.each([
    ['code', flat('old'), flat('new')],
    ['a subgraph', nested('old'), nested('new')],
  ])(
    'B49 (%s) goes on at another node by a goto, and nothing of the old one is left',
    async (_what, before, after) => {
      const threads = new Threads()
      const paused = await threads.start(before)
      await expect(threads.resume(after, paused)).rejects.toThrow(FlowChangedError)
      const moved = await threads.runner().update(paused.threadId, { goto: 'new' }, { flow: after })
      expect(moved).toMatchObject({ status: 'suspended', interrupts: [] })

      const asked = await threads.resume(after, paused)
      expect(asked.interrupts).toMatchObject([{ message: 'note?' }])
      const stored = await threads.store.load(paused.threadId)
      expect([...(stored?.records.keys() ?? [])].filter((key) => key.includes('old'))).toEqual([])
      const done = await threads.resume(after, paused, { answer: 'x' })
      expect(done).toMatchObject({ status: 'completed', state: { note: 'x' } })
    },
  )
})

describe('a fork', () => {
  test('of a question whose time is up asks it with its time again', async () => {
    let time = Date.parse('2026-11-30T09:00:00Z')
    const clock = (): number => time
    const threads = new Threads({ store: memoryStore({ clock }), services: { clock } })
    const flow = graph('timed', { state: { note: '' } })
      .node('ask', async () => ({ note: await interruptForInput('note?', { timeout: '1h' }) }))
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow)
    const early = await threads.runner().fork(paused.threadId)
    time += 2 * 3_600_000
    const late = await threads.runner().fork(paused.threadId, { at: paused.version })

    expect(early.interrupts).toMatchObject([{ expiresAt: '2026-11-30T10:00:00.000Z' }])
    expect(late.interrupts).toMatchObject([
      { openedAt: '2026-11-30T11:00:00.000Z', expiresAt: '2026-11-30T12:00:00.000Z' },
    ])
    expect((await threads.resume(flow, late, { answer: 'x' })).state).toEqual({ note: 'x' })
  })
})
