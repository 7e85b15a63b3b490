import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  flow,
  graph,
  interruptForInput,
  NodeTimeoutError,
  NoStoreError,
  Runner,
  Send,
  StaleFenceError,
  START,
  step,
  StepLimitError,
  type Store,
  ThreadClosedError,
  ThreadExistsError,
  ThreadLockedError,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { eventsOf, Latch, messages, question, startedNodes, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

const durabilities = ['sync', 'async', 'exit'] as const

/** A store whose commits go through `before`. */
function watched(before: (label: string) => Promise<void> | void): Store {
  const store = memoryStore()
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      if (typeof found !== 'function') return found
      if (name !== 'commit') return found.bind(target) as unknown
      return async (batch: Parameters<Store['commit']>[0]) => {
        await before(batch.label ?? '')
        return target.commit(batch)
      }
    },
  })
}

const mark = (ran: string[], name: string) => (): { log: string[] } => {
  ran.push(name)
  return { log: [name] }
}

describe('durability', () => {
  test('L75 a store that fails late fails the run, and the next run is unaffected', async () => {
    let broken = true
    const ran: string[] = []
    const threads = new Threads({
      store: watched(async (label) => {
        await new Promise((resolve) => setImmediate(resolve))
        if (broken && label.startsWith('superstep')) throw new Error('disk full')
      }),
    })
    const flow = graph('two', { state: { log: list() } })
      .node('a', mark(ran, 'a'))
      .node('b', mark(ran, 'b'))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    await expect(threads.start(flow, {}, { threadId: 't' })).rejects.toThrow('disk full')
    expect(ran).toEqual(['a'])

    broken = false
    expect((await threads.start(flow)).status).toBe('completed')
    const view = await threads.runner().get('t')
    expect(view.status).toBe('suspended')
    expect((await threads.resume(flow, 't')).state).toEqual({ log: ['a', 'b'] })
  })

  test('L75 a step whose save fails is never seen by its node', async () => {
    const seen: unknown[] = []
    const threads = new Threads({
      store: watched((label) => {
        if (label.startsWith('step')) throw new Error('disk full')
      }),
    })
    const one = flow('one', async () => {
      seen.push(await step('effect', () => 1))
      return 1
    })
    await expect(threads.start(one)).rejects.toThrow('disk full')
    expect(seen).toEqual([])
  })

  test('L75 a question that can not be saved is never announced', async () => {
    const threads = new Threads({
      store: watched((label) => {
        if (label === 'question') throw new Error('disk full')
      }),
    })
    const run = threads.run(flow('ask', async () => interruptForInput('ok?')))
    const events = await eventsOf(run)

    await expect(run.result).rejects.toThrow('disk full')
    expect(events.some(({ type }) => type === 'interrupt:open')).toBe(false)
  })

  for (const durability of durabilities) {
    test(`L76 the second node starts before the first is saved only when not sync (${durability})`, async () => {
      const latch = new Latch()
      const ran: string[] = []
      const second = new Latch()
      let held = true
      const threads = new Threads({
        durability,
        store: watched(async (label) => {
          if (held && label !== 'completed') await latch.wait()
        }),
      })
      const flow = graph('two', { state: { log: list() } })
        .node('a', mark(ran, 'a'))
        .node('b', () => {
          second.wait().catch(() => undefined)
          return mark(ran, 'b')()
        })
        .edge(START, 'a')
        .edge('a', 'b')
        .edge('b', END)
      const result = threads.start(flow)
      await (durability === 'sync' ? latch.reached : second.reached)
      await new Promise((resolve) => setImmediate(resolve))
      expect(ran).toEqual(durability === 'sync' ? ['a'] : ['a', 'b'])
      held = false
      latch.open()
      expect((await result).state).toEqual({ log: ['a', 'b'] })
    })

    test(`L77 a node that fails once is there to see and to run again (${durability})`, async () => {
      const threads = new Threads({ durability })
      let broken = true
      const flow = graph('fails', { state: { log: list() } })
        .node('a', () => ({ log: ['a'] }))
        .node('b', () => {
          if (broken) throw new Error('not yet')
          return { log: ['b'] }
        })
        .edge(START, 'a')
        .edge('a', 'b')
        .edge('b', END)
      const failed = await threads.start(flow)
      const view = await threads.runner().get(failed.threadId)
      expect(view).toMatchObject({ status: 'failed', next: ['b'], state: { log: ['a'] } })
      expect(view.error?.message).toContain('not yet')

      broken = false
      expect((await threads.resume(flow, failed)).state).toEqual({ log: ['a', 'b'] })
      const statuses = (await threads.runner().history(failed.threadId)).map(({ status }) => status)
      expect(statuses).toContain('failed')
      expect(statuses[0]).toBe('completed')
    })

    test(`answers are kept in order of their questions (${durability})`, async () => {
      const threads = new Threads({ durability })
      const loop = flow('loop', async () => {
        const given: string[] = []
        for (let i = 0; i < 4; i++) given.push(await interruptForInput(`${i}?`))
        return given
      })
      let left = await threads.start(loop)
      for (const answer of ['a', 'b', 'c', 'd']) left = await threads.resume(loop, left, { answer })
      expect(left.output).toEqual(['a', 'b', 'c', 'd'])
    })
  }
})

describe('stopping a run', () => {
  /** a waits at the latch, b follows. */
  const pair = (ran: string[], latch: Latch) =>
    graph('pair', { state: { text: '' } })
      .node('a', async ({ text }) => {
        ran.push('a')
        await latch.wait()
        return { text: `${text}1` }
      })
      .node('b', ({ text }) => {
        ran.push('b')
        return { text: `${text}2` }
      })
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)

  test('S70 a graceful stop lets the running node finish, and a resume goes on after it', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const ran: string[] = []
    const flow = pair(ran, latch)
    const run = threads.run(flow, { text: 'input' })
    await latch.reached
    run.cancel('graceful', 'deploy')
    latch.open()
    const stopped = await run.result
    expect(stopped).toMatchObject({
      status: 'suspended',
      interrupts: [],
      state: { text: 'input1' },
      stopped: { by: 'deploy' },
    })
    const view = await threads.runner().get(stopped.threadId)
    expect(view).toMatchObject({
      status: 'suspended',
      next: ['b'],
      meta: { stopped: { by: 'deploy' } },
    })

    const done = await threads.resume(flow, stopped)
    expect(done.state).toEqual({ text: 'input12' })
    expect(ran).toEqual(['a', 'b'])
    expect((await threads.runner().get(stopped.threadId)).meta.stopped).toBeUndefined()
  })

  test('S71 an immediate stop abandons the running node, which runs again from its input', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const ran: string[] = []
    const flow = pair(ran, latch)
    const run = threads.run(flow, { text: 'input' })
    await latch.reached
    run.cancel('immediate')
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', state: { text: 'input' } })
    latch.open()

    const done = await threads.resume(flow, stopped)
    expect(done.state).toEqual({ text: 'input12' })
    expect(ran).toEqual(['a', 'a', 'b'])
  })

  test('S72 two abandoned nodes both run again with their input', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const seen: string[] = []
    const slow = (name: string) => async (state: { text: string }) => {
      seen.push(`${name}:${state.text}`)
      await latch.wait()
      return { [name]: `${state.text}${name}` }
    }
    const flow = graph('two slow', { state: { text: '', n2: '', n3: '' } })
      .node('n2', slow('n2'))
      .node('n3', slow('n3'))
      .edge(START, 'n2')
      .edge(START, 'n3')
      .edge('n2', END)
      .edge('n3', END)
    const run = threads.run(flow, { text: 'input' })
    await latch.reached
    run.cancel('immediate')
    const stopped = await run.result
    expect((await threads.runner().get(stopped.threadId)).next).toEqual(['n2', 'n3'])
    latch.open()

    const done = await threads.resume(flow, stopped)
    expect(done.state).toMatchObject({ n2: 'inputn2', n3: 'inputn3' })
    expect(seen).toEqual(['n2:input', 'n3:input', 'n2:input', 'n3:input'])
  })

  test('S75 an abandoned node of a subgraph runs again, outer nodes do not', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const ran: string[] = []
    const inner = graph('inner', { state: { text: '' } })
      .node('slow', async ({ text }) => {
        ran.push('slow')
        await latch.wait()
        return { text: `${text}_sub` }
      })
      .edge(START, 'slow')
      .edge('slow', END)
    const flow = graph('outer', { state: { text: '' } })
      .node('main', ({ text }) => {
        ran.push('main')
        return { text: `${text}_main` }
      })
      .node('sub', inner)
      .node('end', ({ text }) => ({ text: `${text}_processed` }))
      .edge(START, 'main')
      .edge('main', 'sub')
      .edge('sub', 'end')
      .edge('end', END)
    const run = threads.run(flow, { text: 'test' })
    await latch.reached
    run.cancel('immediate')
    const stopped = await run.result
    latch.open()

    const done = await threads.resume(flow, stopped)
    expect(done.state).toEqual({ text: 'test_main_sub_processed' })
    expect(ran).toEqual(['main', 'slow', 'slow'])
  })

  test('S77 asking a run to stop twice is harmless', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const flow = pair([], latch)
    const run = threads.run(flow)
    await latch.reached
    run.cancel('graceful', 'one')
    run.cancel('graceful', 'two')
    run.cancel('immediate', 'three')
    run.cancel('immediate', 'four')
    const stopped = await run.result
    latch.open()

    expect(stopped).toMatchObject({ status: 'suspended', stopped: { by: 'three' } })
  })

  test('L79 a stop asked for in a node ends at the boundary', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const held: { stop?: () => void } = {}
    const flow = graph('drain', { state: { log: list() } })
      .node('a', () => {
        held.stop?.()
        return mark(ran, 'a')()
      })
      .node('b', mark(ran, 'b'))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const run = threads.run(flow)
    held.stop = () => run.cancel('graceful', 'in a')
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', stopped: { by: 'in a' } })
    expect(ran).toEqual(['a'])

    held.stop = undefined as never
    expect((await threads.resume(flow, stopped)).state).toEqual({ log: ['a', 'b'] })
  })

  test('L79 a stop before the start runs nothing and can be resumed', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = graph('drain', { state: { log: list() } })
      .node('a', mark(ran, 'a'))
      .edge(START, 'a')
      .edge('a', END)
    const run = threads.run(flow)
    run.cancel('graceful', 'early')
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', stopped: { by: 'early' } })
    expect(ran).toEqual([])

    expect((await threads.resume(flow, stopped)).state).toEqual({ log: ['a'] })
  })

  test('L79 a stop in the last node lets the thread complete', async () => {
    const threads = new Threads()
    const held: { stop?: () => void } = {}
    const flow = graph('last', { state: { log: list() } })
      .node('a', () => {
        held.stop?.()
        return { log: ['a'] }
      })
      .edge(START, 'a')
      .edge('a', END)
    const run = threads.run(flow)
    held.stop = () => run.cancel('graceful', 'late')
    const done = await run.result

    expect(done).toMatchObject({ status: 'completed', state: { log: ['a'] } })
    expect(done.stopped).toBeUndefined()
  })

  test('L79 a stop asked for in a subgraph ends at its boundary', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const held: { stop?: (() => void) | undefined } = {}
    const inner = graph('inner', { state: { log: list() } })
      .node('x', () => {
        held.stop?.()
        return mark(ran, 'x')()
      })
      .node('y', mark(ran, 'y'))
      .edge(START, 'x')
      .edge('x', 'y')
      .edge('y', END)
    const flow = graph('outer', { state: { log: list() } })
      .node('sub', inner)
      .node('after', mark(ran, 'after'))
      .edge(START, 'sub')
      .edge('sub', 'after')
      .edge('after', END)
    const run = threads.run(flow)
    held.stop = () => run.cancel('graceful', 'in sub')
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', stopped: { by: 'in sub' } })
    expect(ran).toEqual(['x'])

    held.stop = undefined
    expect((await threads.resume(flow, stopped)).state).toEqual({ log: ['x', 'y', 'after'] })
    expect(ran).toEqual(['x', 'y', 'after'])
  })

  test('S69 a stop while a question is open keeps the question', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const flow = graph('both', { state: { log: list() } })
      .node('ask', async () => ({ log: [await interruptForInput('ok?')] }))
      .node('slow', async () => {
        await latch.wait()
        return { log: ['slow'] }
      })
      .edge(START, 'ask')
      .edge(START, 'slow')
      .edge('ask', END)
      .edge('slow', END)
    const run = threads.run(flow)
    await latch.reached
    run.cancel('immediate')
    const stopped = await run.result
    expect(messages(stopped)).toEqual(['ok?'])
    latch.open()

    const done = await threads.resume(flow, stopped, { answer: 'A' })
    expect(done.state).toEqual({ log: ['A', 'slow'] })
  })
})

describe('retries, timeouts and limits', () => {
  test('L80 only a retryable error is tried again, and it stays in its thread', async () => {
    const threads = new Threads()
    class HttpError extends Error {
      readonly status: number
      constructor(status: number) {
        super(`status ${status}`)
        this.status = status
      }
    }
    const errors = new Map<string, number[]>([
      ['flaky', [503]],
      ['bad', [400, 400]],
      ['fine', []],
    ])
    const calls: string[] = []
    const flow = graph('http', { state: { name: '', ok: false } })
      .node(
        'call',
        ({ name }) => {
          calls.push(name)
          const status = errors.get(name)?.shift()
          if (status !== undefined) throw new HttpError(status)
          return { ok: true }
        },
        {
          retry: {
            attempts: 3,
            delay: 0,
            when: (error) => error instanceof HttpError && error.status >= 500,
          },
        },
      )
      .edge(START, 'call')
      .edge('call', END)
    const run = threads.run(flow, { name: 'flaky' })
    const retries = (await eventsOf(run)).filter(({ type }) => type === 'node:retry')
    expect(retries).toHaveLength(1)
    expect((await run.result).status).toBe('completed')

    const bad = await threads.start(flow, { name: 'bad' })
    expect(bad.status).toBe('failed')
    expect((await threads.runner().get(bad.threadId)).error?.message).toContain('status 400')
    expect((await threads.start(flow, { name: 'fine' })).status).toBe('completed')
    expect(calls).toEqual(['flaky', 'flaky', 'bad', 'fine'])
  })

  test('L81 what a failed attempt would have written is dropped', async () => {
    let tries = 0
    const flow = graph('retry', { state: { log: list() } })
      .node(
        'a',
        async () => {
          tries += 1
          const update = { log: [`try ${tries}`] }
          if (tries === 1) throw new Error('once')
          return update
        },
        { retry: { attempts: 2, delay: 0 } },
      )
      .edge(START, 'a')
      .edge('a', END)
    expect((await new Threads().start(flow)).state['log']).toEqual(['try 2'])
  })

  test('L83 a node that takes too long fails, its late result is dropped', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const late: unknown[] = []
    let timeout = true
    const flow = graph('slow', { state: { log: list() } })
      .node(
        'slow',
        async () => {
          if (timeout) await latch.wait()
          late.push(await step('late', () => 'late').catch((error: unknown) => error))
          return { log: ['late'] }
        },
        { timeout: 20 },
      )
      .edge(START, 'slow')
      .edge('slow', END)
    const failed = await threads.start(flow)
    expect(failed.error).toBeInstanceOf(NodeTimeoutError)
    expect(failed.error?.message).toContain('node:slow')
    latch.open()
    await new Promise((resolve) => setImmediate(resolve))
    expect(late).toMatchObject([{ name: 'FencedError' }])
    expect((await threads.runner().get(failed.threadId)).state).toEqual({ log: [] })

    timeout = false
    expect((await threads.resume(flow, failed)).state).toEqual({ log: ['late'] })
  })

  test('S171 a retry around a question is not a failure', async () => {
    const threads = new Threads()
    let entered = 0
    const flow = graph('retry', { state: { log: list() } })
      .node(
        'ask',
        async () => {
          entered += 1
          return { log: [await interruptForInput('ok?')] }
        },
        { retry: { attempts: 5, delay: 0 }, timeout: 50 },
      )
      .edge(START, 'ask')
      .edge('ask', END)
    const run = threads.run(flow)
    const events = await eventsOf(run)
    const paused = await run.result
    expect(paused.status).toBe('suspended')
    expect(events.some(({ type }) => type === 'node:retry')).toBe(false)
    expect(entered).toBe(1)

    expect((await threads.resume(flow, paused, { answer: 'A' })).state).toEqual({ log: ['A'] })
  })

  test('L83 a node whose time ran out is tried again, with what its steps kept', async () => {
    const threads = new Threads()
    let tries = 0
    let steps = 0
    const flow = graph('slow at first', { state: { log: list() } })
      .node(
        'slow',
        async () => {
          tries += 1
          await step('once', () => (steps += 1))
          if (tries === 1) await new Promise(() => undefined)
          return { log: ['done'] }
        },
        { timeout: 30, retry: { attempts: 2, delay: 0 } },
      )
      .edge(START, 'slow')
      .edge('slow', END)

    const result = await threads.start(flow)

    expect(result.status).toBe('completed')
    expect({ tries, steps }).toEqual({ tries: 2, steps: 1 })
  })

  test('a timeout does not count the time a node waits for a person', async () => {
    const threads = new Threads()
    const flow = graph('patient', { state: { log: list() } })
      .node('ask', async () => ({ log: [await interruptForInput('ok?')] }), { timeout: 30 })
      .edge(START, 'ask')
      .edge('ask', END)
    const done = await threads.start(
      flow,
      {},
      {
        onInterrupt: async (open) => {
          await new Promise((resolve) => setTimeout(resolve, 80))
          return Object.fromEntries(open.map(({ id }) => [id, 'A']))
        },
      },
    )
    expect(done).toMatchObject({ status: 'completed', state: { log: ['A'] } })
  })

  const counting = (recursionLimit?: number) =>
    graph('count', { state: { n: 0 }, ...(recursionLimit === undefined ? {} : { recursionLimit }) })
      .node('add', async ({ n }) => {
        if (n % 5 === 4) await interruptForInput(`at ${n}?`)
        return { n: n + 1 }
      })
      .edge(START, 'add')
      .branch('add', ({ n }) => (n < 20 ? 'add' : END), ['add', END])

  test('L96 the limit of supersteps is respected', async () => {
    const failed = await new Threads().start(counting(3))
    expect(failed.error).toBeInstanceOf(StepLimitError)
    expect(failed.error?.message).toContain('add')
    expect(failed.state).toEqual({ n: 3 })

    const byRun = await new Threads().start(counting(), {}, { maxSteps: 2 })
    expect(byRun.error).toBeInstanceOf(StepLimitError)
    expect(byRun.state).toEqual({ n: 2 })
  })

  // Our rule: the limit counts over all resumes of a thread, and a resume may raise it.
  test('S61 a limit is not reset by a resume and can be raised', async () => {
    const threads = new Threads()
    const flow = counting(7)
    const paused = await threads.start(flow)
    expect(messages(paused)).toEqual(['at 4?'])
    const failed = await threads.resume(flow, paused, { answer: 'x' })
    expect(failed.error).toBeInstanceOf(StepLimitError)
    expect(failed.state).toEqual({ n: 7 })
    const again = await threads.resume(flow, failed)
    expect(again.error).toBeInstanceOf(StepLimitError)
    expect(again.state).toEqual({ n: 7 })

    const raised = await threads.resume(flow, failed, {}, { maxSteps: 100 })
    expect(messages(raised)).toEqual(['at 9?'])
    expect(() => counting(0).definition()).toThrow(/recursionLimit is 0/u)
  })

  test('maxConcurrency of a run, a graph and a node is kept', async () => {
    let inside = 0
    let most = 0
    const work = async (): Promise<{ log: string[] }> => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      return { log: ['x'] }
    }
    const fan = (options: { maxConcurrency?: number }, node: { maxConcurrency?: number }) =>
      graph('fan', { state: { log: list() }, ...options })
        .node('plan', () => ({}))
        .node('work', work, node)
        .edge(START, 'plan')
        .branch('plan', () => Array.from({ length: 6 }, (_, i) => new Send('work', i)), ['work'])
        .edge('work', END)
    for (const [flow, options, limit] of [
      [fan({}, {}), { maxConcurrency: 2 }, 2],
      [fan({ maxConcurrency: 3 }, {}), {}, 3],
      [fan({}, { maxConcurrency: 1 }), {}, 1],
      [fan({}, {}), {}, 6],
    ] as const) {
      most = 0
      const done = await new Threads().start(flow, {}, options)
      expect(done.state['log']).toHaveLength(6)
      expect(most).toBe(limit)
    }
  })
})

describe('threads', () => {
  const ask = graph('ask', { state: { name: '', log: list() } })
    .node('ask', async ({ name }) => ({ log: [`${name}:${await interruptForInput(`${name}?`)}`] }))
    .edge(START, 'ask')
    .edge('ask', END)

  test('L85 one graph runs four threads at once without mixing them', async () => {
    const threads = new Threads()
    const names = ['a', 'b', 'c', 'd']
    const paused = await Promise.all(
      names.map((name) => threads.start(ask, { name }, { threadId: name, meta: { by: name } })),
    )
    expect(paused.map((left) => messages(left))).toEqual(names.map((name) => [`${name}?`]))
    const done = await Promise.all(
      names.map((name) => threads.resume(ask, name, { answer: name.toUpperCase() })),
    )

    expect(done.map(({ state }) => state)).toEqual(
      names.map((name) => ({ name, log: [`${name}:${name.toUpperCase()}`] })),
    )
    for (const name of names) expect((await threads.runner().get(name)).meta.by).toBe(name)
  })

  test('L89 names that reach into objects are refused as thread ids', async () => {
    const threads = new Threads()
    for (const threadId of ['__proto__', 'constructor', 'prototype', '', 'i_abc', 1, {}]) {
      const id = threadId as string
      await expect(threads.start(ask, {}, { threadId: id })).rejects.toMatchObject({
        code: 'E1012',
      })
      await expect(threads.runner().get(id)).rejects.toMatchObject({ code: 'E1012' })
      await expect(threads.resume(ask, id)).rejects.toMatchObject({ code: 'E1012' })
      await expect(threads.runner().cancel(id)).rejects.toMatchObject({ code: 'E1012' })
      await expect(threads.runner().delete(id)).rejects.toMatchObject({ code: 'E1012' })
    }
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('L91 deleting a thread leaves the others', async () => {
    const threads = new Threads()
    await threads.start(ask, { name: 'a' }, { threadId: 'a' })
    const b = await threads.start(ask, { name: 'b' }, { threadId: 'b' })
    await threads.runner().delete('a')

    await expect(threads.runner().get('a')).rejects.toMatchObject({ name: 'UnknownThreadError' })
    expect((await threads.runner().get('b')).interrupts).toEqual(b.interrupts)
    const { items } = await threads.runner().threads()
    expect(items.map(({ threadId }) => threadId)).toEqual(['b'])
  })

  test('S56 a thread id without a store is an error before anything runs', async () => {
    const ran: string[] = []
    const flow = graph('a', { state: { log: list() } })
      .node('a', mark(ran, 'a'))
      .edge(START, 'a')
      .edge('a', END)
    await expect(new Runner().invoke(flow, {}, { threadId: 't' })).rejects.toThrow(NoStoreError)
    expect(ran).toEqual([])
  })

  test('S57 a new id runs afresh, a completed one is refused', async () => {
    const threads = new Threads()
    const flow = graph('a', { state: { log: list() } })
      .node('a', () => ({ log: ['a'] }))
      .edge(START, 'a')
      .edge('a', END)
    expect((await threads.start(flow, {}, { threadId: 't' })).status).toBe('completed')
    await expect(threads.start(flow, {}, { threadId: 't' })).rejects.toThrow(ThreadExistsError)
    await expect(threads.resume(flow, 't')).rejects.toThrow(ThreadClosedError)
  })

  test('L65 resuming a completed thread runs nothing', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = graph('a', { state: { log: list() } })
      .node('a', mark(ran, 'a'))
      .edge(START, 'a')
      .edge('a', END)
    const done = await threads.start(flow)
    const before = await threads.runner().get(done.threadId)
    await expect(threads.resume(flow, done)).rejects.toThrow(ThreadClosedError)

    expect(ran).toEqual(['a'])
    expect(await threads.runner().get(done.threadId)).toEqual(before)
  })

  test('a thread that another runner runs is locked, and answers can be stored for it', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const flow = graph('both', { state: { log: list() } })
      .node('ask', async () => ({ log: [await interruptForInput('ok?')] }))
      .node('slow', async () => {
        await latch.wait()
        return { log: ['slow'] }
      })
      .edge(START, 'ask')
      .edge(START, 'slow')
      .edge('ask', END)
      .edge('slow', END)
    const run = threads.run(flow, {}, { threadId: 't' })
    await latch.reached
    const view = await threads.runner().get('t')
    expect(view).toMatchObject({ status: 'running', holder: { pid: process.pid } })
    await expect(threads.resume(flow, 't', { answer: 'X' })).rejects.toThrow(ThreadLockedError)
    await expect(threads.runner().cancel('t')).rejects.toThrow(ThreadLockedError)
    await expect(threads.runner().delete('t')).rejects.toThrow(ThreadLockedError)

    await threads.runner().answer('t', { answers: { [question(view).id]: 'stored' } })
    latch.open()
    const done = await run.result
    expect(done).toMatchObject({ status: 'completed', state: { log: ['stored', 'slow'] } })
  })

  test('B10 a slow node runs once although its sibling is answered meanwhile', async () => {
    const threads = new Threads()
    const latch = new Latch()
    let slow = 0
    const flow = graph('both', { state: { log: list() } })
      .node('ask', async () => ({ log: [await interruptForInput('ok?')] }))
      .node('slow', async () => {
        slow += 1
        await latch.wait()
        return { log: ['slow'] }
      })
      .edge(START, 'ask')
      .edge(START, 'slow')
      .edge('ask', END)
      .edge('slow', END)
    const run = threads.run(flow, {}, { threadId: 't' })
    await latch.reached
    await expect(threads.resume(flow, 't', { answer: 'X' })).rejects.toThrow(ThreadLockedError)
    latch.open()
    const paused = await run.result
    const done = await threads.resume(flow, paused, { answer: 'A' })

    expect(done.state).toEqual({ log: ['A', 'slow'] })
    expect(slow).toBe(1)
  })

  test('S165 a thread whose process is gone goes on from its last save', async () => {
    let time = Date.parse('2024-01-01')
    const clock = (): number => time
    const store = memoryStore({ clock })
    const threads = new Threads({ store, services: { clock } })
    const latch = new Latch()
    const ran: string[] = []
    let hang = true
    const flow = graph('crash', { state: { log: list() } })
      .node('a', async () => {
        await step('effect', () => ran.push('effect'))
        return mark(ran, 'a')()
      })
      .node('b', async () => {
        if (hang) await latch.wait()
        return mark(ran, 'b')()
      })
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const lost = threads.run(flow, {}, { threadId: 't' })
    await latch.reached
    time += 60_000
    expect((await threads.runner().get('t')).status).toBe('crashed')
    hang = false
    const done = await threads.resume(flow, 't')
    expect(done.state).toEqual({ log: ['a', 'b'] })
    expect(ran).toEqual(['effect', 'a', 'b'])

    latch.open()
    await expect(lost.result).rejects.toThrow(StaleFenceError)
    expect((await threads.runner().get('t')).state).toEqual({ log: ['a', 'b'] })
  })

  test('the events of a run tell its nodes once, in order', async () => {
    const threads = new Threads()
    const run = threads.run(ask, { name: 'a' })
    const events = await eventsOf(run)
    expect(events.map(({ type }) => type)).toEqual([
      'run:start',
      'node:start',
      'checkpoint',
      'interrupt:open',
      'node:end',
      'checkpoint',
      'run:end',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(JSON.parse(JSON.stringify(events))).toEqual(events)
    const more = await eventsOf(threads.resumeRun(ask, await run.result, { answer: 'x' }))
    expect(startedNodes(more)).toEqual(['ask'])
    expect(more.map(({ type }) => type)).toContain('interrupt:answered')
  })
})
