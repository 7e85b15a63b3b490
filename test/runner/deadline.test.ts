import { describe, expect, test } from 'vitest'

import {
  END,
  flow,
  graph,
  type InterruptHandler,
  interruptForApproval,
  interruptForInput,
  InterruptTimeoutError,
  START,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { eventsOf, Latch, messages, question, questionAsking, Threads } from '../support/threads.ts'

const SOON = 40

/** Somebody who never answers, until the question is taken away; what took it away is kept. */
function absent(): { handler: InterruptHandler; reasons: unknown[] } {
  const reasons: unknown[] = []
  const handler: InterruptHandler = (_open, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason)
        resolve(undefined)
      })
    })
  return { handler, reasons }
}

describe('a deadline that passes while a person is asked', () => {
  test('S162 the default is taken, the prompt taken away, and the flow goes on', async () => {
    const { handler, reasons } = absent()
    let entered = 0
    const ask = flow('ask', async () => {
      entered += 1
      return interruptForInput('name?', { timeout: SOON, default: 'nobody' })
    })
    const threads = new Threads()
    const run = threads.run(ask, undefined, { onInterrupt: handler })
    const events = await eventsOf(run)
    const done = await run.result

    expect(done).toMatchObject({ status: 'completed', output: 'nobody' })
    expect(entered).toBe(1)
    expect(reasons).toEqual([expect.any(InterruptTimeoutError)])
    expect(events.filter(({ type }) => type === 'interrupt:answered')).toMatchObject([
      { via: 'timeout', by: 'timeout', value: 'nobody' },
    ])
    const view = await threads.runner().get(done.threadId)
    expect(view.answered).toMatchObject([{ value: 'nobody', source: { via: 'timeout' } }])
  })

  test('S162 without a default the call rejects, which is told apart from a no and from a cancel', async () => {
    const { handler } = absent()
    const ask = flow('ask', async () => {
      try {
        return await interruptForApproval('ok?', { timeout: SOON })
      } catch (error) {
        return error instanceof InterruptTimeoutError ? 'expired' : 'something else'
      }
    })
    const threads = new Threads()
    const run = threads.run(ask, undefined, { onInterrupt: handler })
    const events = await eventsOf(run)
    const done = await run.result

    expect(done).toMatchObject({ status: 'completed', output: 'expired' })
    expect(events.filter(({ type }) => type === 'interrupt:closed')).toMatchObject([
      { reason: 'expired' },
    ])
    const view = await threads.runner().get(done.threadId)
    expect(view.answered).toMatchObject([{ status: 'expired' }])
    expect(view.answered[0]).not.toHaveProperty('value')
  })

  test('a call that does not catch it fails its thread, also when it is tried again', async () => {
    const { handler } = absent()
    const ask = flow('ask', async () => interruptForInput('name?', { timeout: SOON }))
    const threads = new Threads()
    const failed = await threads.start(ask, undefined, { onInterrupt: handler })

    expect(failed).toMatchObject({ status: 'failed', interrupts: [] })
    expect(failed.error).toMatchObject({ code: 'E1408' })
    expect(await threads.resume(ask, failed)).toMatchObject({
      status: 'failed',
      error: { code: 'E1408' },
    })
  })

  test('the other questions are asked again', async () => {
    const asked: string[][] = []
    const both = graph('both', { state: { a: '', b: '' } })
      .node('a', async () => ({
        a: await interruptForInput('a?', { timeout: SOON, default: 'A' }),
      }))
      .node('b', async () => ({ b: await interruptForInput('b?') }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const done = await new Threads().start(
      both,
      {},
      {
        onInterrupt: (open, { signal }) => {
          asked.push(open.map(({ message }) => message))
          if (open.length === 1) return Object.fromEntries(open.map(({ id }) => [id, 'B']))
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({}))
          })
        },
      },
    )

    expect(done).toMatchObject({ status: 'completed', state: { a: 'A', b: 'B' } })
    expect(asked).toEqual([['a?', 'b?'], ['b?']])
  })

  test('an answer that comes too late is not used, and that is told', async () => {
    const ask = flow('ask', async () =>
      interruptForInput('name?', { timeout: SOON, default: 'nobody' }),
    )
    const run = new Threads().run(ask, undefined, {
      onInterrupt: (open, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve(Object.fromEntries(open.map(({ id }) => [id, 'Ann']))),
          )
        }),
    })
    const events = await eventsOf(run)

    expect((await run.result).output).toBe('nobody')
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'E1408' }])
  })

  test('a default that the flow refuses is none: the call rejects', async () => {
    const { handler } = absent()
    const ask = flow('ask', async () =>
      interruptForInput('name?', {
        timeout: SOON,
        default: 'nobody',
        validate: (name) => name !== 'nobody',
      }).catch((error: unknown) => (error instanceof InterruptTimeoutError ? 'expired' : error)),
    )
    const done = await new Threads().start(ask, undefined, { onInterrupt: handler })

    expect(done.output).toBe('expired')
  })

  test.each(['needed', 'always'] as const)(
    'a question of an earlier process expires too (replay %s)',
    async (replay) => {
      const { handler } = absent()
      const entered: string[] = []
      const both = graph('both', { state: { a: '', b: '' } })
        .node('a', async () => {
          entered.push('a')
          return { a: await interruptForInput('a?', { timeout: 250, default: 'A' }) }
        })
        .node('b', async () => {
          entered.push('b')
          return {
            b: await interruptForInput('b?', { timeout: 250 }).catch((error: unknown) =>
              error instanceof InterruptTimeoutError ? 'expired' : 'other',
            ),
          }
        })
        .edge(START, 'a')
        .edge(START, 'b')
        .edge('a', END)
        .edge('b', END)
      const threads = new Threads({ replay })
      const paused = await threads.start(both)
      expect(messages(paused)).toEqual(['a?', 'b?'])
      const done = await threads.resume(both, paused, {}, { onInterrupt: handler })

      expect(done).toMatchObject({ status: 'completed', state: { a: 'A', b: 'expired' } })
      expect(entered).toEqual(['a', 'b', 'a', 'b'])
    },
  )

  test('a question whose task runs beside others expires while they run', async () => {
    const latch = new Latch()
    const beside = graph('beside', { state: { name: '', slow: false } })
      .node('ask', async () => {
        const name = await interruptForInput('name?', { timeout: SOON, default: 'nobody' })
        latch.open()
        return { name }
      })
      .node('slow', async () => {
        await latch.wait()
        return { slow: true }
      })
      .edge(START, 'ask')
      .edge(START, 'slow')
      .edge('ask', END)
      .edge('slow', END)
    const done = await new Threads().start(beside)

    expect(done).toMatchObject({ status: 'completed', state: { name: 'nobody', slow: true } })
  })

  test('a graph without a store expires too', async () => {
    const { handler } = absent()
    const ask = graph('ask', { state: { name: '' } })
      .node('ask', async () => ({
        name: await interruptForInput('name?', { timeout: SOON, default: 'nobody' }),
      }))
      .edge(START, 'ask')
      .edge('ask', END)

    expect(await ask.invoke({}, { onInterrupt: handler })).toEqual({ name: 'nobody' })
  })
})

describe('a deadline that passes while nobody runs the thread', () => {
  /** Threads whose clock stands where it is put. */
  function timed(): { threads: Threads; pass: (ms: number) => void } {
    let time = Date.parse('2026-11-30T09:00:00Z')
    const clock = (): number => time
    const threads = new Threads({ store: memoryStore({ clock }), services: { clock } })
    return { threads, pass: (ms) => void (time += ms) }
  }

  test('a late answer is refused before anything runs, to resume and to answer', async () => {
    const { threads, pass } = timed()
    let entered = 0
    const ask = flow('ask', async () => {
      entered += 1
      return interruptForInput('name?', { timeout: '1h' })
    })
    const paused = await threads.start(ask)
    const { id } = question(paused)
    pass(3_600_000)
    const late = { answers: { [id]: 'Ann' } }
    for (const answer of [late, { answer: 'Ann' }]) {
      await expect(threads.resume(ask, paused, answer)).rejects.toThrow(InterruptTimeoutError)
      await expect(threads.runner().answer(paused.threadId, answer)).rejects.toThrow(
        InterruptTimeoutError,
      )
    }
    expect(entered).toBe(1)
    expect((await threads.runner().get(paused.threadId)).version).toBe(paused.version)
    await threads.runner().pending()

    for (const answer of [late, { answers: { '#1': 'Ann' } }])
      await expect(threads.resume(ask, paused, answer)).rejects.toThrow(InterruptTimeoutError)
    expect(entered).toBe(1)
  })

  test('every page of what is due is settled by one tick', async () => {
    const { threads, pass } = timed()
    const ask = flow('ask', async () =>
      interruptForInput('name?', { timeout: '1h', default: 'nobody' }),
    )
    for (let n = 0; n < 120; n += 1) await threads.start(ask)
    pass(3_600_000)
    const results = await threads.runner().tick({ flow: ask })

    expect(results.size).toBe(120)
    for (const result of results.values()) expect(result).toMatchObject({ status: 'completed' })
    expect((await threads.runner().tick({ flow: ask })).size).toBe(0)
  })

  test('a thread that cannot be read stops no tick', async () => {
    const { threads, pass } = timed()
    const ask = flow('ask', async () =>
      interruptForInput('name?', { timeout: '1h', default: 'nobody' }),
    )
    const { threadId } = await threads.start(ask)
    await threads.store.create({ id: 'bad', flow: 'ask', meta: '{', status: 'ready', records: [] })
    pass(3_600_000)

    const results = await threads.runner().tick({ flow: ask })

    expect([...results.keys()]).toEqual([threadId])
    expect(results.get(threadId)).toMatchObject({ status: 'completed', output: 'nobody' })
  })

  test('an answer to one question settles what else is due in the thread', async () => {
    const { threads, pass } = timed()
    const both = graph('both', { state: { a: '', b: '' } })
      .node('a', async () => ({
        a: await interruptForInput('a?', { timeout: '1h', default: 'A' }),
      }))
      .node('b', async () => ({ b: await interruptForInput('b?') }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const paused = await threads.start(both)
    pass(3_600_000)
    const { id } = questionAsking(paused, 'b?')
    const done = await threads.resume(both, paused, { answers: { [id]: 'B' } })

    expect(done).toMatchObject({ status: 'completed', state: { a: 'A', b: 'B' } })
  })

  test('looking does not hide that a thread has failed', async () => {
    const { threads, pass } = timed()
    const both = graph('both', { state: { a: '' } })
      .node('a', async () => ({ a: await interruptForInput('a?', { timeout: '1h' }) }))
      .node('b', () => {
        throw new Error('no')
      })
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const failed = await threads.start(both)
    expect(failed.status).toBe('failed')
    pass(3_600_000)
    await threads.runner().pending()

    expect((await threads.runner().get(failed.threadId)).status).toBe('failed')
    const [[, result] = []] = await threads.runner().tick({ flow: both })
    expect(result).toMatchObject({ status: 'failed' })
  })

  test('a question with a long payload expires like any other', async () => {
    const { threads, pass } = timed()
    const ask = flow('ask', async () =>
      interruptForInput('name?', { timeout: '1h', payload: 'x'.repeat(10_000) }).catch(
        (error: unknown) => (error instanceof InterruptTimeoutError ? 'expired' : error),
      ),
    )
    const paused = await threads.start(ask)
    pass(3_600_000)
    await threads.runner().pending()

    expect((await threads.resume(ask, paused)).output).toBe('expired')
  })
})

describe('an answer that somebody stores while a resumed thread asks', () => {
  test('it is taken although its task was not entered in this process', async () => {
    const both = graph('both', { state: { a: '', b: '' } })
      .node('a', async () => ({ a: await interruptForInput('a?') }))
      .node('b', async () => ({ b: await interruptForInput('b?') }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const threads = new Threads()
    const paused = await threads.start(both)
    const asked: string[][] = []
    const done = await threads.resume(
      both,
      paused,
      {},
      {
        onInterrupt: async (open, { signal }) => {
          asked.push(open.map(({ message }) => message))
          if (open.length === 1) return Object.fromEntries(open.map(({ id }) => [id, 'B']))
          const { id } = questionAsking({ interrupts: open }, 'a?')
          const gone = new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve())
          })
          await threads.runner().answer(paused.threadId, { answers: { [id]: 'A' } })
          await gone
          return undefined
        },
      },
    )

    expect(done).toMatchObject({ status: 'completed', state: { a: 'A', b: 'B' } })
    expect(asked).toEqual([['a?', 'b?'], ['b?']])
  })
})
