import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  flow,
  graph,
  type Interrupt,
  interruptForApproval,
  interruptForInput,
  type RunEvent,
  Runner,
  START,
  step,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { eventsOf, Latch, messages, question, questionAsking, Threads } from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

const two = graph('two', { state: { log: list() } })
  .node('a', async () => ({ log: [await interruptForInput('a?')] }))
  .node('b', async () => ({ log: [await interruptForInput('b?')] }))
  .edge(START, 'a')
  .edge('a', 'b')
  .edge('b', END)

const all = (open: readonly Interrupt[], value: unknown = 'x'): Record<string, unknown> =>
  Object.fromEntries(open.map(({ id }) => [id, value]))

describe('answering in place', () => {
  test('a handler is asked about what is open until nothing is', async () => {
    const asked: string[][] = []
    const done = await new Threads().start(
      two,
      {},
      {
        onInterrupt: (open) => {
          asked.push(open.map(({ message }) => message))
          return all(open)
        },
      },
    )
    expect(done).toMatchObject({ status: 'completed', state: { log: ['x', 'x'] } })
    expect(asked).toEqual([['a?'], ['b?']])
  })

  test('an answer in place runs nothing twice', async () => {
    let entered = 0
    const once = flow('once', async () => {
      entered += 1
      return [await interruptForInput('1?'), await interruptForInput('2?')]
    })
    const done = await new Threads().start(once, undefined, { onInterrupt: (open) => all(open) })

    expect(done.output).toEqual(['x', 'x'])
    expect(entered).toBe(1)
  })

  test('replay always enters a task again at every answer', async () => {
    let entered = 0
    let effects = 0
    const again = flow('again', async () => {
      entered += 1
      await step('effect', () => (effects += 1))
      return [await interruptForInput('1?'), await interruptForInput('2?')]
    })
    const done = await new Threads().start(again, undefined, {
      replay: 'always',
      onInterrupt: (open) => all(open),
    })

    expect(done.output).toEqual(['x', 'x'])
    expect(entered).toBe(3)
    expect(effects).toBe(1)
  })

  test('replay always finds code that can not be replayed', async () => {
    let n = 0
    const bad = flow('bad', async () => {
      await interruptForInput(`try ${(n += 1)}?`)
      return n
    })
    const asked: string[] = []
    const left = await new Threads().start(bad, undefined, {
      replay: 'always',
      onInterrupt: (open) => {
        asked.push(...open.map(({ message }) => message))
        return asked.length > 2 ? 'defer' : all(open)
      },
    })

    expect(left.status).toBe('suspended')
    expect(question(left).changedFrom).toBeDefined()
  })

  test('a handler that defers leaves the questions open', async () => {
    const threads = new Threads()
    const both = flow('both', async () =>
      Promise.all([interruptForInput('a?'), interruptForInput('b?')]),
    )
    const left = await threads.start(both, undefined, {
      onInterrupt: (open) => {
        const a = open.find(({ message }) => message === 'a?')
        return a === undefined ? 'defer' : { [a.id]: 'A' }
      },
    })
    expect(messages(left)).toEqual(['b?'])
    const done = await threads.resume(both, left, {}, { onInterrupt: (open) => all(open, 'B') })
    expect(done.output).toEqual(['A', 'B'])
  })

  test('a handler sees a question only after it is saved', async () => {
    const threads = new Threads()
    let seen: readonly Interrupt[] = []
    await threads.start(
      two,
      {},
      {
        threadId: 't',
        onInterrupt: async () => {
          seen = (await threads.runner().get('t')).interrupts
          return 'defer' as const
        },
      },
    )
    expect(seen.map(({ message }) => message)).toEqual(['a?'])
  })

  test('a handler can check a value as the question will', async () => {
    const problems: unknown[] = []
    const age = flow('age', async () =>
      interruptForInput('Age?', { validate: (text) => Number(text) > 0 || 'too young' }),
    )
    const done = await new Threads().start(age, undefined, {
      onInterrupt: async ([open], { check }) => {
        const id = open?.id ?? ''
        problems.push(await check(id, 5), await check(id, '-1'), await check(id, '7'))
        return { [id]: '7' }
      },
    })
    expect(done.output).toBe('7')
    expect(problems).toEqual([
      [{ path: '', message: 'a text is wanted, got 5' }],
      [{ path: '', message: 'too young' }],
      [],
    ])
  })

  test('a handler that throws leaves the thread suspended and the caller told', async () => {
    const threads = new Threads()
    const run = threads.run(
      two,
      {},
      {
        threadId: 't',
        onInterrupt: () => {
          throw new Error('no terminal')
        },
      },
    )
    await expect(run.result).rejects.toThrow('no terminal')
    expect(await threads.runner().get('t')).toMatchObject({ status: 'suspended' })
    const next = await threads.resume(two, 't', { answer: 'A' })
    expect(messages(next)).toEqual(['b?'])
  })

  test('an answer of a handler that is refused leaves the question open', async () => {
    const threads = new Threads()
    const ok = flow('ok', async () => interruptForApproval('ok?'))
    const run = threads.run(ok, undefined, {
      threadId: 't',
      onInterrupt: (open) => all(open, 'not a boolean'),
    })
    await expect(run.result).rejects.toMatchObject({ name: 'InvalidAnswerError' })
    expect(messages(await threads.runner().get('t'))).toEqual(['ok?'])
  })

  test('work beside a question goes on while a person is asked', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const flow2 = graph('beside', { state: { log: list() } })
      .node('ask', async () => ({ log: [await interruptForInput('ask?')] }))
      .node('slow', async () => {
        await new Promise((resolve) => setImmediate(resolve))
        return { log: ['slow'] }
      })
      .node('after', () => {
        latch.open()
        return { log: ['after'] }
      })
      .edge(START, 'ask')
      .edge(START, 'slow')
      .edge('ask', END)
      .edge('slow', 'after')
      .edge('after', END)
    const done = await threads.start(
      flow2,
      {},
      {
        onInterrupt: async (open) => {
          await latch.opened
          return all(open, 'A')
        },
      },
    )
    expect(done.state).toEqual({ log: ['A', 'slow', 'after'] })
  })

  test('invoke without a store waits for a person only when a handler answers', async () => {
    const ask = flow('ask', async () => `got ${await interruptForInput('ask?')}`)
    await expect(ask.invoke()).rejects.toMatchObject({ name: 'NoStoreError' })
    await expect(ask.invoke(undefined, { onInterrupt: () => 'defer' })).rejects.toMatchObject({
      name: 'NoStoreError',
    })
    expect(await ask.invoke(undefined, { onInterrupt: (open) => all(open) })).toBe('got x')
  })
})

describe('answers stored without running', () => {
  test('a stored answer is used by the next resume', async () => {
    const threads = new Threads()
    const paused = await threads.start(two)
    const view = await threads.runner().answer(paused.threadId, { answer: 'A' })
    expect(view).toMatchObject({ status: 'suspended', interrupts: [] })
    expect(view.answered).toMatchObject([{ status: 'answered', value: 'A' }])

    const next = await threads.resume(two, paused)
    expect(messages(next)).toEqual(['b?'])
    expect(next.state['log']).toEqual(['A'])
  })

  test('a second stored answer is refused', async () => {
    const threads = new Threads()
    const paused = await threads.start(two)
    const answers = { [question(paused).id]: 'A' }
    await threads.runner().answer(paused.threadId, { answers })
    await expect(threads.runner().answer(paused.threadId, { answers })).rejects.toMatchObject({
      name: 'AlreadyAnsweredError',
    })
    await expect(threads.resume(two, paused, { answers })).rejects.toMatchObject({
      name: 'AlreadyAnsweredError',
    })
  })

  test('an answer stored while a person is asked takes the prompt away', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const run = threads.run(
      flow('ask', async () => interruptForInput('ask?')),
      undefined,
      {
        threadId: 't',
        onInterrupt: async (_open, { signal }) => {
          latch.wait().catch(() => undefined)
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve, { once: true })
          })
          return 'defer' as const
        },
      },
    )
    await latch.reached
    await threads.runner().answer('t', { answer: 'from elsewhere' }, { source: { by: 'ann' } })
    expect(await run.result).toMatchObject({ status: 'completed', output: 'from elsewhere' })
  })

  test('a stored answer that the flow refuses is asked for again', async () => {
    const threads = new Threads()
    const age = flow('age', async () =>
      interruptForInput('Age?', { validate: (text) => Number(text) > 0 || 'too young' }),
    )
    const paused = await threads.start(age)
    await threads.runner().answer(paused.threadId, { answer: '-1' })
    const again = await threads.resume(age, paused)
    expect(question(again)).toMatchObject({ id: question(paused).id, message: 'Age?' })

    expect((await threads.resume(age, paused, { answer: '3' })).output).toBe('3')
  })

  test('who answered, and how, is kept', async () => {
    const threads = new Threads({ source: { osUser: 'root' } })
    const paused = await threads.start(two)
    await threads.resume(two, paused, { answer: 'A' }, { source: { by: 'ann', via: 'flag' } })
    const { answered } = await threads.runner().get(paused.threadId)

    expect(answered).toMatchObject([
      { by: 'ann', source: { by: 'ann', osUser: 'root', via: 'flag' } },
    ])
  })
})

describe('events', () => {
  test('a reader gets what happened before it began to read', async () => {
    const run = new Threads().run(two)
    await run.result
    const types = (await eventsOf(run)).map(({ type }) => type)

    expect(types[0]).toBe('run:start')
    expect(types.at(-1)).toBe('run:end')
  })

  test('custom events, steps and retries are told', async () => {
    let tries = 0
    const run = new Threads().run(
      graph('told', { state: { log: list() } })
        .node(
          'a',
          async (_state, ctx) => {
            ctx.emit({ progress: 0.5 })
            await ctx.step('s', () => 1)
            if ((tries += 1) === 1) throw new Error('once')
            return {}
          },
          { retry: { attempts: 2, delay: 0 } },
        )
        .edge(START, 'a')
        .edge('a', END),
    )
    const events = await eventsOf(run)
    const of = (type: RunEvent['type']): RunEvent[] => events.filter((event) => event.type === type)

    expect(of('custom')).toMatchObject([
      { value: { progress: 0.5 }, address: [{ type: 'node', id: 'a' }] },
      { value: { progress: 0.5 } },
    ])
    expect(of('step:end')).toMatchObject([
      { name: 's', replayed: false },
      { name: 's', replayed: true },
    ])
    expect(of('node:retry')).toMatchObject([{ attempt: 1, error: { message: 'once' } }])
  })

  test('a swallowed question lets no step after it run, and the answer decides what the step does', async () => {
    const threads = new Threads()
    const sent: boolean[] = []
    const swallow = flow('swallow', async () => {
      const agreed = await interruptForApproval('Send?').catch(() => false)
      await step('send', () => void sent.push(agreed))
      return agreed
    })
    const run = threads.run(swallow)
    const warnings = (await eventsOf(run)).filter(({ type }) => type === 'warning')
    const paused = await run.result
    expect(paused.status).toBe('suspended')
    expect(messages(paused)).toEqual(['Send?'])
    expect(warnings).toMatchObject([{ code: 'E2109' }])
    expect(sent).toEqual([])
    const done = await threads.resume(swallow, paused.threadId, { answer: true })
    expect(done).toMatchObject({ status: 'completed', output: true })
    expect(sent).toEqual([true])
  })

  test('a swallowed question is told, and its task stays suspended', async () => {
    const wrappers: readonly ((ask: () => Promise<string>) => Promise<unknown>)[] = [
      (ask) => ask().catch(() => 'swallowed'),
      (ask) => Promise.allSettled([ask()]).then(() => 'swallowed'),
      async (ask) => {
        try {
          return await ask()
        } catch {
          return 'swallowed'
        }
      },
    ]
    for (const wrap of wrappers) {
      const threads = new Threads()
      const swallow = graph('swallow', { state: { out: '' } })
        .node('ask', async () => ({ out: String(await wrap(() => interruptForInput('ok?'))) }))
        .edge(START, 'ask')
        .edge('ask', END)
      const run = threads.run(swallow)
      const events = await eventsOf(run)
      const paused = await run.result
      expect(paused).toMatchObject({ status: 'suspended', state: { out: '' } })
      expect(messages(paused)).toEqual(['ok?'])
      const warning = events.find((event) => event.type === 'warning')
      expect(warning).toMatchObject({ code: 'E2109', address: [{ type: 'node', id: 'ask' }] })

      const done = await threads.resume(swallow, paused, { answer: 'A' })
      expect(done.status).toBe('completed')
    }
  })
})

describe('lists of threads', () => {
  test('pending lists what waits, with its questions', async () => {
    const threads = new Threads()
    const waiting = await threads.start(two, {}, { threadId: 'waits' })
    await threads.start(
      flow('done', async () => 1),
      undefined,
      { threadId: 'done' },
    )
    const { items } = await threads.runner().pending()

    expect(items).toMatchObject([
      { threadId: 'waits', flow: 'two', status: 'suspended', answered: 0 },
    ])
    expect(items[0]?.interrupts).toEqual(waiting.interrupts)
    const { items: every } = await threads.runner().threads()
    expect(new Map(every.map(({ threadId, status }) => [threadId, status]))).toEqual(
      new Map([
        ['done', 'completed'],
        ['waits', 'suspended'],
      ]),
    )
  })

  test('history tells the checkpoints, newest first', async () => {
    const threads = new Threads()
    const paused = await threads.start(two)
    await threads.resume(two, paused, { answer: 'A' })
    const versions = (await threads.runner().history(paused.threadId)).map(({ version }) => version)

    expect(versions).toEqual(versions.toSorted((x, y) => y - x))
    const before = await threads.runner().history(paused.threadId, { before: 3, limit: 1 })
    expect(before.map(({ version }) => version)).toEqual([2])
  })

  test('a runner finds the flow by the name in the thread', async () => {
    const store = memoryStore()
    const paused = await new Runner({ store }).invoke(two)
    const runner = new Runner({ store, flows: [two] })
    const next = await runner.resume(paused.threadId, { answer: 'A' }).result

    expect(messages(next)).toEqual(['b?'])
  })

  test('a bare function is a flow', async () => {
    const threads = new Threads()
    async function greet(input: { name: string }): Promise<string> {
      return `${await interruptForInput('greeting?')}, ${input.name}`
    }
    const paused = await threads.start(greet, { name: 'Ann' })
    expect(paused.interrupts[0]?.address).toEqual([{ type: 'node', id: 'greet' }])

    expect((await threads.resume(greet, paused, { answer: 'Hello' })).output).toBe('Hello, Ann')
  })

  test('B88 what is pending tells node, kind, choices and the payload of the question', async () => {
    const threads = new Threads()
    const seen: unknown[] = []
    const ask = graph('ask', { state: { ok: false } })
      .node('review', async () => {
        const payload = await step('payload', () => ({ amount: 5 }))
        const ok = await interruptForApproval('Pay?', { payload })
        seen.push(payload)
        return { ok }
      })
      .edge(START, 'review')
      .edge('review', END)
    const paused = await threads.start(ask)
    const [item] = (await threads.runner().pending()).items

    expect(item?.interrupts).toMatchObject([
      {
        kind: 'approval',
        message: 'Pay?',
        payload: { amount: 5 },
        key: 'node:review',
        openedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
      },
    ])
    await threads.resume(ask, paused, { answer: true })
    expect(seen).toEqual([{ amount: 5 }])
  })

  test('two open questions keep their order and ordinals over resumes', async () => {
    const threads = new Threads()
    const both = flow('both', async () => {
      const answers = await Promise.all([interruptForInput('a?'), interruptForInput('b?')])
      return [...answers, await interruptForInput('c?')]
    })
    const first = await threads.start(both)
    const second = await threads.resume(both, first, {
      answers: { [questionAsking(first, 'b?').id]: 'B' },
    })
    const third = await threads.resume(both, second, { answer: 'A' })

    expect(first.interrupts.map(({ ordinal }) => ordinal)).toEqual([1, 2])
    expect(question(third).ordinal).toBe(3)
  })
})
