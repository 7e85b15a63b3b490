import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  graph,
  interruptForInput,
  segment,
  Send,
  START,
  StaleVersionError,
  ThreadClosedError,
  UnknownNameError,
} from '../../src/index.ts'
import { messages, question, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** Two side by side, of which one asks, and one behind them. */
const mixed = (ran: string[] = []) =>
  graph('mixed', { state: { log: list(), note: '' } })
    .node('quick', () => {
      ran.push('quick')
      return { log: ['quick'], note: 'quick' }
    })
    .node('ask', async () => {
      ran.push('ask')
      const said = await interruptForInput('say?')
      return { log: [said] }
    })
    .node('then', ({ note }) => {
      ran.push('then')
      return { log: [`then ${note}`] }
    })
    .edge(START, 'quick')
    .edge(START, 'ask')
    .join('then', ['quick', 'ask'])
    .edge('then', END)

describe('an edit of a resting thread', () => {
  test('goes through the reducers, is there at once, and runs nothing', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = mixed(ran)
    const paused = await threads.start(flow)
    const edited = await threads
      .runner()
      .update(paused.threadId, { update: { log: ['edit'], note: 'edited' } }, { flow })

    const view = await threads.runner().get(paused.threadId)
    for (const left of [edited, view]) {
      expect(left).toMatchObject({
        status: 'suspended',
        state: { log: ['quick', 'edit'], note: 'edited' },
      })
      expect(left.interrupts.map(({ id }) => id)).toEqual(paused.interrupts.map(({ id }) => id))
    }
    expect(view.meta.stopped).toBeUndefined()
    expect(ran).toEqual(['quick', 'ask'])

    const done = await threads.resume(flow, paused, { answer: 'yes' })
    expect(done.state).toEqual({ log: ['quick', 'edit', 'yes', 'then edited'], note: 'edited' })
  })

  test('of a key that its own task writes later is no conflict: the task has the last word', async () => {
    const threads = new Threads()
    const flow = graph('one', { state: { text: 'a' } })
      .node('ask', async ({ text }) => ({ text: `${text}${await interruptForInput('say?')}` }))
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow)
    const edited = await threads.resume(flow, paused, { update: { text: 'b' } })
    expect(edited.state).toEqual({ text: 'b' })

    expect((await threads.resume(flow, paused, { answer: '!' })).state).toEqual({ text: 'a!' })
  })

  test('twice counts twice', async () => {
    const threads = new Threads()
    const flow = mixed()
    const paused = await threads.start(flow)
    for (const word of ['one', 'two'])
      await threads.runner().update(paused.threadId, { update: { log: [word] } }, { flow })

    expect((await threads.runner().get(paused.threadId)).state['log']).toEqual([
      'quick',
      'one',
      'two',
    ])
  })

  test('with a goto plans what runs next and closes what it abandons', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = mixed(ran)
    const paused = await threads.start(flow)
    const moved = await threads.runner().update(paused.threadId, { goto: 'then' }, { flow })
    expect(moved).toMatchObject({ status: 'suspended', interrupts: [] })
    const view = await threads.runner().get(paused.threadId)
    expect(view).toMatchObject({ next: ['then'], interrupts: [] })
    expect(view.answered).toMatchObject([{ status: 'cancelled' }])

    const done = await threads.resume(flow, paused)
    expect(done.state['log']).toEqual(['quick', 'then quick'])
    expect(ran).toEqual(['quick', 'ask', 'then'])
  })

  test('L08 goto END leaves nothing to do, and the values', async () => {
    const threads = new Threads()
    const flow = mixed()
    const paused = await threads.start(flow)
    const ended = await threads.runner().update(paused.threadId, { goto: END }, { flow })

    expect(ended).toMatchObject({ status: 'completed', state: { log: ['quick'] } })
    expect(await threads.runner().get(paused.threadId)).toMatchObject({
      status: 'completed',
      next: [],
      tasks: [],
      interrupts: [],
      state: { log: ['quick'], note: 'quick' },
    })
  })

  // Our rule: one command updates once; many updates are many commands, each checked on its own.
  test('L73 what the flow does not know is refused before anything is written', async () => {
    const threads = new Threads()
    const flow = mixed()
    const paused = await threads.start(flow)
    const edit = (command: object): Promise<unknown> =>
      threads.runner().update(paused.threadId, command, { flow })
    await expect(edit({ update: { nota: 'x' } })).rejects.toMatchObject({
      hint: 'Did you mean "note"?',
    })
    await expect(edit({ goto: 'than' })).rejects.toThrow(UnknownNameError)
    await expect(edit({ update: { note: 'x' }, ifVersion: 1 })).rejects.toThrow(StaleVersionError)
    await expect(edit({ update: { note: () => 1 } })).rejects.toMatchObject({ code: 'E1312' })

    expect((await threads.runner().get(paused.threadId)).version).toBe(paused.version)
  })

  test('of a closed thread is refused', async () => {
    const threads = new Threads()
    const flow = mixed()
    const paused = await threads.start(flow)
    await threads.runner().cancel(paused.threadId)

    await expect(
      threads.runner().update(paused.threadId, { update: { note: 'x' } }, { flow }),
    ).rejects.toThrow(ThreadClosedError)
  })

  test('of a failed thread leaves it failed until it is tried again', async () => {
    const threads = new Threads()
    const flow = graph('fails', { state: { good: false } })
      .node('check', ({ good }) => {
        if (!good) throw new Error('not good')
        return {}
      })
      .edge(START, 'check')
      .edge('check', END)
    const failed = await threads.start(flow)
    const edited = await threads
      .runner()
      .update(failed.threadId, { update: { good: true } }, { flow })
    expect(edited.status).toBe('failed')
    expect(await threads.runner().get(failed.threadId)).toMatchObject({
      status: 'failed',
      state: { good: true },
    })
  })

  test('B31 two stops of a subgraph keep an edit between them', async () => {
    const inner = graph('inner', { state: { note: '' } })
      .node('a', ({ note }) => ({ note: `${note}a` }))
      .node('b', ({ note }) => ({ note: `${note}b` }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const outer = graph('outer', { state: { note: '', log: list() } })
      .node('inner', inner)
      .node('end', ({ note }) => ({ log: [note] }))
      .edge(START, 'inner')
      .edge('inner', 'end')
      .edge('end', END)
    const threads = new Threads()
    const first = await threads.start(outer, {}, { breakBefore: ['a', 'b'] })
    await threads.runner().update(first.threadId, { update: { log: ['edit'] } }, { flow: outer })
    const second = await threads.resume(outer, first)
    expect(messages(second)).toEqual(['Stopped before b'])
    expect(second.state['log']).toEqual(['edit'])

    expect((await threads.resume(outer, second)).state).toEqual({
      note: 'ab',
      log: ['edit', 'ab'],
    })
  })
})

describe('forks that are edited', () => {
  // Our rule: an edited result is an update of the state the result was written to.
  test('L72 forks of forks form a tree, each with its own values', async () => {
    const threads = new Threads()
    const flow = mixed()
    const root = await threads.start(flow, {}, { threadId: 'root' })
    const runner = threads.runner()
    await runner.fork('root', { threadId: 'left' })
    await runner.update('left', { update: { note: 'left' } }, { flow })
    await runner.fork('left', { threadId: 'leaf' })
    await runner.fork('root', { threadId: 'right' })

    const parents = await Promise.all(
      ['root', 'left', 'leaf', 'right'].map(async (id) => [
        id,
        (await runner.get(id)).meta.parent?.threadId,
        (await runner.get(id)).state['note'],
      ]),
    )
    expect(parents).toEqual([
      ['root', undefined, 'quick'],
      ['left', 'root', 'left'],
      ['leaf', 'left', 'left'],
      ['right', 'root', 'quick'],
    ])
    const leaf = await threads.resume(flow, 'leaf', { answer: 'L' })
    expect(leaf.state['log']).toEqual(['quick', 'L', 'then left'])
    expect((await runner.get('root')).version).toBe(root.version)
  })

  test('L69 a resume that names the head as its version goes on and repeats nothing', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const inner = graph('inner', { state: { note: '' } })
      .node('a', () => {
        ran.push('a')
        return {}
      })
      .node('b', async () => ({ note: await interruptForInput('b?') }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const flow = graph('outer', { state: { note: '' } })
      .node('inner', inner)
      .edge(START, 'inner')
      .edge('inner', END)
    const paused = await threads.start(flow)
    const done = await threads.resume(flow, paused, {
      answers: { [question(paused).id]: 'x' },
      ifVersion: paused.version,
    })

    expect(done).toMatchObject({ status: 'completed', state: { note: 'x' } })
    expect(ran).toEqual(['a'])
  })
})

describe('an edit of a subgraph', () => {
  /** Two levels down somebody is asked; the log of the inner graphs is the log of the outer one too. */
  const nested = (ran: string[] = []) => {
    const inner = graph('inner', { state: { log: list(), note: 'inner', tries: 0 } })
      .node('ask', async ({ note }) => {
        ran.push('ask')
        return { log: [`${note} ${await interruptForInput('say?')}`] }
      })
      .node('after', ({ note, tries }) => {
        ran.push('after')
        return { log: [`after ${note} ${tries}`] }
      })
      .edge(START, 'ask')
      .edge('ask', 'after')
      .edge('after', END)
    const middle = graph('middle', { state: { log: list(), note: 'middle' } })
      .node('inner', inner, { input: () => ({}), output: ({ log }) => ({ log: log as string[] }) })
      .edge(START, 'inner')
      .edge('inner', END)
    return graph('outer', { state: { log: list(), note: 'outer' } })
      .node('middle', middle)
      .edge(START, 'middle')
      .edge('middle', END)
  }
  const within = [segment('node', 'middle'), segment('node', 'inner')]

  test('goes through its reducers, is there at once, and the flow around stays as it was', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = nested(ran)
    const paused = await threads.start(flow)
    expect(await threads.runner().graphs(paused.threadId)).toEqual(
      expect.arrayContaining([[segment('node', 'middle')], within]),
    )
    await threads
      .runner()
      .update(
        paused.threadId,
        { update: { log: ['edit'], note: 'new', tries: 3 } },
        { flow, within },
      )

    const view = await threads.runner().get(paused.threadId, { within })
    expect(view).toMatchObject({
      status: 'suspended',
      state: { log: ['edit'], note: 'new', tries: 3 },
      next: ['ask'],
    })
    expect(view.interrupts.map(({ id }) => id)).toEqual(paused.interrupts.map(({ id }) => id))
    expect((await threads.runner().get(paused.threadId)).state).toEqual({ log: [], note: 'outer' })

    const done = await threads.resume(flow, paused, { answer: 'yes' })
    // The waiting task goes on with what it had; what comes after it reads the edit.
    expect(done.state).toEqual({ log: ['edit', 'inner yes', 'after new 3'], note: 'outer' })
    expect(ran).toEqual(['ask', 'ask', 'after'])
  })

  test('of a key that the graph around folds too is folded there once', async () => {
    const threads = new Threads()
    const flow = nested()
    const paused = await threads.start(flow)
    await threads
      .runner()
      .update(
        paused.threadId,
        { update: { log: ['edit'] } },
        { flow, within: [segment('node', 'middle')] },
      )
    const done = await threads.resume(flow, paused, { answer: 'yes' })
    expect(done.state['log']).toEqual(['edit', 'inner yes', 'after inner 0'])
  })

  test('with a goto plans what runs in it next and closes what it abandons', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = nested(ran)
    const paused = await threads.start(flow)
    await threads
      .runner()
      .update(paused.threadId, { goto: 'after', update: { tries: 1 } }, { flow, within })
    const view = await threads.runner().get(paused.threadId, { within })
    expect(view).toMatchObject({ next: ['after'], interrupts: [] })
    expect(view.answered).toMatchObject([{ status: 'cancelled' }])

    const done = await threads.resume(flow, paused)
    expect(done).toMatchObject({ status: 'completed', state: { log: ['after inner 1'] } })
    expect(ran).toEqual(['ask', 'after'])
  })

  test('to its END goes on behind it', async () => {
    const threads = new Threads()
    const flow = nested()
    const paused = await threads.start(flow)
    await threads.runner().update(paused.threadId, { goto: END }, { flow, within })
    expect(await threads.resume(flow, paused)).toMatchObject({
      status: 'completed',
      state: { log: [] },
    })
  })

  test('that is not there, or of what it does not declare, is refused before anything is written', async () => {
    const threads = new Threads()
    const flow = nested()
    const paused = await threads.start(flow)
    const edit = (update: object, path: readonly string[]): Promise<unknown> =>
      threads
        .runner()
        .update(
          paused.threadId,
          { update: { ...update } },
          { flow, within: path.map((name) => segment('node', name)) },
        )
    await expect(edit({ note: 'x' }, ['midle'])).rejects.toThrow(UnknownNameError)
    await expect(edit({ tries: 1 }, ['middle'])).rejects.toThrow(UnknownNameError)
    await expect(edit({ nota: 1 }, ['middle', 'inner'])).rejects.toMatchObject({
      hint: 'Did you mean "note"?',
    })
    await expect(
      threads.resume(flow, paused, { update: { note: 'x' } }, { within }),
    ).rejects.toMatchObject({ code: 'E2144' })
    expect((await threads.runner().get(paused.threadId)).version).toBe(paused.version)
  })

  test('reaches each fan-out task by its key', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { note: '' } })
      .node('ask', async () => {
        await interruptForInput('say?')
      })
      .node('after', ({ note }) => ({ note: `${note}!` }))
      .edge(START, 'ask')
      .edge('ask', 'after')
      .edge('after', END)
    const flow = graph('fan', { state: { log: list() } })
      .node('work', inner, { output: ({ note }) => ({ log: [note as string] }) })
      .branch(START, () => ['a', 'b'].map((key) => new Send('work', { note: key }, { key })), [
        'work',
      ])
      .edge('work', END)
    const paused = await threads.start(flow)
    await threads
      .runner()
      .update(
        paused.threadId,
        { update: { note: 'edited' } },
        { flow, within: [segment('node', 'work', 'b')] },
      )
    const answers = Object.fromEntries(paused.interrupts.map(({ id }) => [id, 'go']))
    const done = await threads.resume(flow, paused, { answers })
    expect(done.state).toEqual({ log: ['a!', 'edited!'] })
  })
})
