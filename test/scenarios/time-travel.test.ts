import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  flow,
  graph,
  interruptForApproval,
  interruptForInput,
  InterruptTimeoutError,
  START,
  type ThreadView,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { messages, question, questionAsking, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** pre, ask, ask again, post; what runs is told to `ran`. */
const asking = (ran: string[] = []) =>
  graph('asking', { state: { log: list(), note: '' } })
    .node('pre', () => {
      ran.push('pre')
      return { log: ['pre'] }
    })
    .node('first', async () => ({ log: [await interruptForInput('first?')] }))
    .node('second', async ({ note }) => ({ log: [`${note}${await interruptForInput('second?')}`] }))
    .node('post', () => {
      ran.push('post')
      return { log: ['post'] }
    })
    .edge(START, 'pre')
    .edge('pre', 'first')
    .edge('first', 'second')
    .edge('second', 'post')
    .edge('post', END)

/** The newest checkpoint at which only this question was open. */
async function versionAsking(
  threads: Threads,
  thread: { readonly threadId: string },
  message: string,
): Promise<number> {
  for (const { version } of await threads.runner().history(thread.threadId)) {
    const view = await threads.runner().get(thread.threadId, { at: version })
    if (messages(view).join() === message && view.status === 'suspended') return version
  }
  throw new Error(`no checkpoint asks ${message}`)
}

/** A whole run of {@link asking}, and its checkpoint before the first answer. */
async function finished(threads: Threads, ran: string[]) {
  const flow = asking(ran)
  const paused = await threads.start(flow)
  await threads.resume(flow, paused, { answer: 'A' })
  const done = await threads.resume(flow, paused, { answer: 'B' })
  expect(done.state['log']).toEqual(['pre', 'A', 'B', 'post'])
  return { flow, done, at: await versionAsking(threads, paused, 'first?') }
}

describe('going back', () => {
  test('L59 a fork from before an answer asks again and runs nothing before it', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const { flow, done, at } = await finished(threads, ran)
    const fork = await threads.runner().fork(done.threadId, { at })
    expect(messages(fork)).toEqual(['first?'])
    expect(fork.state['log']).toEqual(['pre'])

    const next = await threads.resume(flow, fork, { answer: 'new A' })
    expect(messages(next)).toEqual(['second?'])
    expect(next.state['log']).toEqual(['pre', 'new A'])
    expect(ran).toEqual(['pre', 'post'])
  })

  test('L60 three forks of one point give the same result', async () => {
    const threads = new Threads()
    const { flow, done, at } = await finished(threads, [])
    for (let round = 0; round < 3; round++) {
      const fork = await threads.runner().fork(done.threadId, { at })
      const next = await threads.resume(flow, fork, { answer: 'same' })
      expect(next.state['log']).toEqual(['pre', 'same'])
      expect(messages(next)).toEqual(['second?'])
    }
  })

  test('L61 a fork with an edited state uses it and leaves the original alone', async () => {
    const threads = new Threads()
    const { flow, done, at } = await finished(threads, [])
    const before = await threads.runner().get(done.threadId)
    const fork = await threads.runner().fork(done.threadId, { at, threadId: 'fork' })
    await threads.resume(flow, fork, { update: { note: 'edited ' } })
    await threads.resume(flow, 'fork', { answer: 'X' })
    const end = await threads.resume(flow, 'fork', { answer: 'Y' })

    expect(end.state).toEqual({ log: ['pre', 'X', 'edited Y', 'post'], note: 'edited ' })
    expect(await threads.runner().get(done.threadId)).toEqual(before)
  })

  test('L63 a fork between two questions keeps the first answer', async () => {
    const threads = new Threads()
    const { flow, done } = await finished(threads, [])
    const at = await versionAsking(threads, done, 'second?')
    const fork = await threads.runner().fork(done.threadId, { at })
    expect(fork.state['log']).toEqual(['pre', 'A'])

    const end = await threads.resume(flow, fork, { answer: 'other' })
    expect(end.state['log']).toEqual(['pre', 'A', 'other', 'post'])
  })

  test('L64 a fork before a node with two questions asks the first again', async () => {
    const threads = new Threads()
    const both = flow('both', async () => [
      await interruptForInput('one?'),
      await interruptForInput('two?'),
    ])
    const paused = await threads.start(both)
    await threads.resume(both, paused, { answer: '1' })
    const at = await versionAsking(threads, paused, 'one?')
    const fork = await threads.runner().fork(paused.threadId, { at })
    expect(messages(fork)).toEqual(['one?'])

    const next = await threads.resume(both, fork, { answer: 'new 1' })
    const end = await threads.resume(both, next, { answer: '2' })
    expect(end.output).toEqual(['new 1', '2'])
  })

  test('L67 forks leave the checkpoints of the original as they are', async () => {
    const threads = new Threads()
    const { flow, done, at } = await finished(threads, [])
    const history = await threads.runner().history(done.threadId)
    const fork = await threads.runner().fork(done.threadId, { at })
    await threads.resume(flow, fork, { answer: 'Z' })

    expect(await threads.runner().history(done.threadId)).toEqual(history)
    expect(fork.meta.parent).toEqual({ threadId: done.threadId, version: at })
  })

  test('L68 a fork tells its parent, an original has none', async () => {
    const threads = new Threads()
    const { done, at } = await finished(threads, [])
    const [one, two] = [
      await threads.runner().fork(done.threadId, { at }),
      await threads.runner().fork(done.threadId, { at }),
    ]
    expect([one, two].map(({ meta }) => meta.parent?.threadId)).toEqual([
      done.threadId,
      done.threadId,
    ])
    expect((await threads.runner().get(done.threadId)).meta.parent).toBeUndefined()
    expect(question(one).id).not.toBe(question(two).id)
  })

  // Our rule: a fork is a copy of the thread; what a sibling had written is in it.
  test('L25 a fork of a waiting thread has its questions and what siblings wrote', async () => {
    const threads = new Threads()
    const flow = graph('beside', { state: { log: list() } })
      .node('slow', () => ({ log: ['slow'] }))
      .node('ask', async () => ({ log: [await interruptForInput('ask?')] }))
      .edge(START, 'slow')
      .edge(START, 'ask')
      .edge('slow', END)
      .edge('ask', END)
    const paused = await threads.start(flow)
    const fork = await threads.runner().fork(paused.threadId)
    expect(fork.state['log']).toEqual(['slow'])
    expect(messages(fork)).toEqual(['ask?'])

    await expect(
      threads.resume(flow, fork, { answers: { [question(paused).id]: 'x' } }),
    ).rejects.toMatchObject({ name: 'UnknownInterruptError' })
    expect((await threads.resume(flow, fork, { answer: 'F' })).state['log']).toEqual(['slow', 'F'])
    expect((await threads.resume(flow, paused, { answer: 'O' })).state['log']).toEqual([
      'slow',
      'O',
    ])
  })

  test('B04 two forks of a paused thread take different answers', async () => {
    const threads = new Threads()
    const flow = asking()
    const paused = await threads.start(flow)
    const ends = await Promise.all(
      ['one', 'two'].map(async (answer) => {
        const fork = await threads.runner().fork(paused.threadId)
        return threads.resume(flow, fork, { answer })
      }),
    )
    expect(ends.map(({ state }) => state['log'])).toEqual([
      ['pre', 'one'],
      ['pre', 'two'],
    ])
  })

  test('B50 a fork goes on by itself and the original stays', async () => {
    const threads = new Threads()
    const { flow, done, at } = await finished(threads, [])
    const fork = await threads.runner().fork(done.threadId, { at })
    await threads.resume(flow, fork, { answer: 'P' })
    const end = await threads.resume(flow, fork, { answer: 'Q' })

    expect(end).toMatchObject({ threadId: fork.threadId, status: 'completed' })
    expect(end.state['log']).toEqual(['pre', 'P', 'Q', 'post'])
    expect((await threads.runner().get(done.threadId)).state['log']).toEqual([
      'pre',
      'A',
      'B',
      'post',
    ])
  })

  // Our rule: an earlier checkpoint is looked at as it was committed.
  test('L28 an earlier checkpoint is read as it was', async () => {
    const threads = new Threads()
    const { done, at } = await finished(threads, [])
    const view: ThreadView = await threads.runner().get(done.threadId, { at })
    expect(view).toMatchObject({ version: at, status: 'suspended', next: ['first'] })
    expect(view.state['log']).toEqual(['pre'])

    await expect(threads.runner().get(done.threadId, { at: 999 })).rejects.toMatchObject({
      code: 'E2122',
    })
  })

  test('L69 a resume of the newest version goes on and does not start over', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const sub = asking(ran)
    const outer = graph('outer', { state: { log: list() } })
      .node('sub', sub)
      .edge(START, 'sub')
      .edge('sub', END)
    const paused = await threads.start(outer)
    const next = await threads.resume(outer, paused, { answer: 'A', ifVersion: paused.version })
    expect(messages(next)).toEqual(['second?'])
    const fork = await threads.runner().fork(next.threadId, { at: next.version })
    const end = await threads.resume(outer, fork, { answer: 'B' })

    expect(end.state['log']).toEqual(['pre', 'A', 'B', 'post'])
    expect(ran).toEqual(['pre', 'post'])
  })

  test('L71 a fork of a question three levels down runs only what comes later', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const mark = (name: string) => (): { log: string[] } => {
      ran.push(name)
      return { log: [name] }
    }
    const leaf = asking(ran)
    const middle = graph('middle', { state: { log: list() } })
      .node('m', mark('m'))
      .node('leaf', leaf)
      .edge(START, 'm')
      .edge('m', 'leaf')
      .edge('leaf', END)
    const outer = graph('outer', { state: { log: list() } })
      .node('o', mark('o'))
      .node('middle', middle)
      .node('end', mark('end'))
      .edge(START, 'o')
      .edge('o', 'middle')
      .edge('middle', 'end')
      .edge('end', END)
    const first = await threads.start(outer)
    const second = await threads.resume(outer, first, { answer: 'A' })
    ran.length = 0
    const early = await threads.runner().fork(first.threadId, {
      at: await versionAsking(threads, first, 'first?'),
    })
    const late = await threads.runner().fork(second.threadId)
    await threads.resume(outer, early, { answer: 'X' })
    const endEarly = await threads.resume(outer, early, { answer: 'Y' })
    const endLate = await threads.resume(outer, late, { answer: 'Z' })

    expect(endEarly.state['log']).toEqual(['o', 'm', 'pre', 'X', 'Y', 'post', 'end'])
    expect(endLate.state['log']).toEqual(['o', 'm', 'pre', 'A', 'Z', 'post', 'end'])
    expect(ran).toEqual(['post', 'end', 'post', 'end'])
  })
})

describe('deadlines', () => {
  /** Threads whose clock stands where it is put. */
  function timed(): { threads: Threads; pass: (ms: number) => void } {
    let time = Date.parse('2024-01-01')
    const clock = (): number => time
    const threads = new Threads({ store: memoryStore({ clock }), services: { clock } })
    return {
      threads,
      pass: (ms) => {
        time += ms
      },
    }
  }

  test('S162 a question whose time is up takes its default, or rejects, and never says no', async () => {
    const { threads, pass } = timed()
    const caught: unknown[] = []
    const plain = flow('plain', async () => {
      try {
        return await interruptForApproval('ok?', { timeout: '1h' })
      } catch (error) {
        caught.push(error)
        throw error
      }
    })
    const withDefault = flow('default', async () =>
      interruptForInput('name?', { timeout: 1000, default: 'nobody' }),
    )
    const one = await threads.start(plain)
    const two = await threads.start(withDefault)
    expect(question(one).expiresAt).toBe('2024-01-01T01:00:00.000Z')
    pass(3_600_000)

    const expired = await threads.resume(plain, one)
    expect(expired.status).toBe('failed')
    expect(caught.at(-1)).toBeInstanceOf(InterruptTimeoutError)
    expect((await threads.resume(withDefault, two)).output).toBe('nobody')
    const view = await threads.runner().get(one.threadId)
    expect(view.answered).toMatchObject([{ status: 'expired' }])
    expect(view.answered[0]).not.toHaveProperty('value')
  })

  test('B47 a late answer is refused as expired, and nothing is lost', async () => {
    const { threads, pass } = timed()
    const ask = flow('ask', async () =>
      interruptForInput('name?', { timeout: '1s' }).catch((error: unknown) =>
        error instanceof InterruptTimeoutError ? 'too late' : Promise.reject(error as Error),
      ),
    )
    const paused = await threads.start(ask)
    pass(2000)
    await expect(threads.resume(ask, paused, { answer: 'Ann' })).rejects.toThrow(
      InterruptTimeoutError,
    )

    expect((await threads.resume(ask, paused)).output).toBe('too late')
  })

  test('a tick settles what is due and goes on with it', async () => {
    const { threads, pass } = timed()
    const both = graph('both', { state: { a: '', b: '' } })
      .node('a', async () => ({
        a: await interruptForInput('a?', { timeout: '1m', default: 'A' }),
      }))
      .node('b', async () => ({ b: await interruptForInput('b?') }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const paused = await threads.start(both)
    expect((await threads.runner().tick({ flow: both })).size).toBe(0)
    pass(60_000)
    const results = await threads.runner().tick({ flow: both })

    expect([...results.keys()]).toEqual([paused.threadId])
    const view = await threads.runner().get(paused.threadId)
    expect(view).toMatchObject({ status: 'suspended', state: { a: 'A', b: '' } })
    expect(messages(view)).toEqual(['b?'])
    expect(questionAsking(paused, 'b?').id).toBe(question(view).id)
  })

  test('looking at what is pending records what is due and runs nothing', async () => {
    const { threads, pass } = timed()
    let entered = 0
    const ask = flow('ask', async () => {
      entered += 1
      return interruptForInput('name?', { timeout: 1000, default: 'nobody' })
    })
    const paused = await threads.start(ask)
    pass(1000)
    const { items } = await threads.runner().pending()

    expect(items.flatMap(({ interrupts }) => interrupts)).toEqual([])
    expect(entered).toBe(1)
    expect((await threads.resume(ask, paused)).output).toBe('nobody')
  })
})
