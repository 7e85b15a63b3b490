import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  flow,
  graph,
  interrupt,
  interruptForApproval,
  interruptForInput,
  now,
  random,
  Send,
  START,
  step,
  uuid,
} from '../../src/index.ts'
import { Latch, messages, Threads } from '../support/threads.ts'

/** Runs a flow function, answers its one question in another process, and gives its output. */
async function throughPause(body: () => Promise<unknown>): Promise<unknown> {
  const threads = new Threads()
  const paused = await threads.start(flow('pause', body))
  expect(messages(paused)).toEqual(['ok?'])
  return (await threads.resume(flow('pause', body), paused, { answer: 'yes' })).output
}

describe('steps', () => {
  test('steps of one name in a row are told apart by their order', async () => {
    let n = 0
    const output = await throughPause(async () => {
      const values = [await step('n', () => (n += 1)), await step('n', () => (n += 1))]
      await interruptForInput('ok?')
      return [...values, await step('n', () => (n += 1))]
    })
    expect(output).toEqual([1, 2, 3])
  })

  test('steps with a key keep their result in any order', async () => {
    let reversed = false
    const ran: string[] = []
    const output = await throughPause(async () => {
      const keys = reversed ? ['b', 'a'] : ['a', 'b']
      reversed = true
      const entries = await Promise.all(
        keys.map(async (key) => [
          key,
          await step(
            'load',
            () => {
              ran.push(key)
              return key.toUpperCase()
            },
            { key },
          ),
        ]),
      )
      await interruptForInput('ok?')
      return Object.fromEntries(entries) as unknown
    })
    expect(output).toEqual({ a: 'A', b: 'B' })
    expect(ran).toEqual(['a', 'b'])
  })

  test('overlapping steps of one name are an error that says how to tell them apart', async () => {
    const failed = await new Threads().start(
      flow('overlap', async () =>
        Promise.all([step('load', async () => 1), step('load', async () => 2)]),
      ),
    )
    expect(failed.error).toMatchObject({ code: 'E2113' })
    expect(failed.error?.message).toContain('step "load"')

    const told = await new Threads().start(
      flow('apart', async () =>
        Promise.all([1, 2].map((n) => step('load', async () => n, { args: n }))),
      ),
    )
    expect(told.output).toEqual([1, 2])
  })

  test('a step may follow one of its name that failed', async () => {
    let tries = 0
    const done = await new Threads().start(
      flow('again', async () => {
        const once = (): Promise<number> =>
          step('flaky', () => {
            if ((tries += 1) === 1) throw new Error('once')
            return tries
          })
        return once().catch(once)
      }),
    )
    expect(done.output).toBe(2)
  })

  test("a step that fails is not remembered, and its error is the code's own", async () => {
    let broken = true
    let ran = 0
    const threads = new Threads()
    const body = flow('fails', async () =>
      step('load', () => {
        ran += 1
        if (broken) throw new RangeError('out')
        return 'ok'
      }),
    )
    const failed = await threads.start(body)
    expect(failed.error?.cause).toBeInstanceOf(RangeError)
    broken = false
    expect((await threads.resume(body, failed)).output).toBe('ok')
    expect(ran).toBe(2)
  })

  test('a step retries by its own options', async () => {
    let tries = 0
    const done = await new Threads().start(
      flow('retry', async () =>
        step(
          'load',
          ({ attempt }) => {
            tries += 1
            if (attempt < 3) throw new Error('not yet')
            return attempt
          },
          { retry: { attempts: 3, delay: 0 } },
        ),
      ),
    )
    expect(done.output).toBe(3)
    expect(tries).toBe(3)
  })

  test('the idempotency key is the same on every try and in every process', async () => {
    const threads = new Threads()
    const keys: string[] = []
    let broken = true
    const body = graph('keys', { state: { out: [] as string[] } })
      .node('plan', () => ({}))
      .node('work', async (item: string) => {
        await step('pay', ({ idempotencyKey }) => {
          keys.push(idempotencyKey)
          if (broken && item === 'b') throw new Error('away')
        })
      })
      .edge(START, 'plan')
      .branch('plan', () => ['a', 'b'].map((item) => new Send('work', item, { key: item })), [
        'work',
      ])
      .edge('work', END)
    const failed = await threads.start(body, {}, { threadId: 't' })
    broken = false
    await threads.resume(body, failed)

    expect(keys).toHaveLength(3)
    expect(keys[1]).toBe(keys[2])
    expect(new Set(keys).size).toBe(2)
    expect(keys.every((key) => key.startsWith('t/'))).toBe(true)
  })

  test('a question inside a step is asked, and the step goes on with its answer', async () => {
    const ran: string[] = []
    const output = await throughPause(async () =>
      step('outer', async () => {
        ran.push('outer')
        return step('inner', async () => `inner ${await interruptForInput('ok?')}`)
      }),
    )
    expect(output).toBe('inner yes')
  })

  test('what a finished step called inside takes no position among the calls after it', async () => {
    const output = await throughPause(async () => {
      await step('outer', async () => {
        await step('inner', () => 1)
        await step('innermost', () => 2)
      })
      await step('next', () => 3)
      await step('last', () => 4)
      await interruptForInput('ok?')
      return step('after', () => 5)
    })
    expect(output).toBe(5)
  })

  test('a step whose time is up ends, and what it still calls is refused', async () => {
    const threads = new Threads()
    const late: unknown[] = []
    const gate = new Latch()
    const over = new Latch()
    const failed = await threads.start(
      flow('slow', async () =>
        step(
          'load',
          async ({ signal }) => {
            signal.addEventListener('abort', () => gate.open())
            await gate.wait()
            const call = async (): Promise<unknown> => step('late', () => 1)
            await call().catch((error: unknown) => late.push(error))
            over.open()
          },
          { timeout: 5 },
        ),
      ),
    )
    await over.opened
    expect(failed.error).toMatchObject({ code: 'E2142', name: 'StepTimeoutError' })
    expect(late).toMatchObject([{ code: 'E2103' }])
  })

  test('a step that is retried has its time for each try', async () => {
    const done = await new Threads().start(
      flow('retried', async () =>
        step(
          'load',
          ({ attempt }) => (attempt < 3 ? new Promise<number>(() => undefined) : attempt),
          { timeout: '5ms', retry: { attempts: 3, delay: 0 } },
        ),
      ),
    )
    expect(done.output).toBe(3)
  })

  test('the time that a step waits for a person does not count', async () => {
    const body = flow('patient', async () =>
      step('ask', async () => interruptForInput('ok?'), { timeout: 5 }),
    )
    const threads = new Threads({
      onInterrupt: async (open) => {
        const [first] = open
        await new Promise((resolve) => {
          setTimeout(resolve, 30)
        })
        return first === undefined ? 'defer' : { [first.id]: 'yes' }
      },
    })
    expect((await threads.start(body)).output).toBe('yes')
  })

  test.each([
    ['E2112', { timeout: 'soon' }],
    ['E2140', { once: true, retry: {} }],
    ['E2140', { verify: () => true }],
  ] as const)('%s: options that make no sense are refused at the call', async (code, options) => {
    let ran = 0
    const body = flow('odd', async () =>
      step(
        'odd',
        () => {
          ran += 1
        },
        options,
      ),
    )
    const failed = await new Threads().start(body)
    expect(failed.error).toMatchObject({ code })
    expect(ran).toBe(0)
  })

  test('time, chance and ids are remembered', async () => {
    const seen: unknown[] = []
    const output = await throughPause(async () => {
      const values = [await now(), await random(), await uuid(), await uuid()]
      seen.push(values)
      await interruptForInput('ok?')
      return values
    })
    expect(seen[0]).toEqual(output)
    expect(seen[1]).toEqual(output)
    const [, chance, first, second] = output as [number, number, string, string]
    expect(chance).toBeGreaterThanOrEqual(0)
    expect(first).not.toBe(second)
  })

  test('a node that is visited again starts with no memory', async () => {
    let ran = 0
    const done = await new Threads().start(
      graph('loop', { state: { n: 0 } })
        .node('add', async ({ n }) => ({ n: n + (await step('one', () => (ran += 1))) }))
        .edge(START, 'add')
        .branch('add', ({ n }) => (n < 6 ? 'add' : END), ['add', END]),
    )
    expect(done.state).toEqual({ n: 6 })
    expect(ran).toBe(3)
  })
})

describe('where nobody can be asked', () => {
  const list = channel<string[]>({
    initial: [],
    reduce: (a, b) => {
      if (b.includes('ask')) void interruptForApproval('in a reducer?')
      return [...a, ...b]
    },
  })

  test('asking in a reducer, a router, a mapper or an output function is an error', async () => {
    const inner = graph('inner', { state: { x: '' } })
      .node('leaf', () => ({}))
      .edge(START, 'leaf')
      .edge('leaf', END)
    const cases: readonly [string, Parameters<Threads['start']>[0]][] = [
      [
        'in a reducer',
        graph('r', { state: { log: list } })
          .node('a', () => ({ log: ['ask'] }))
          .edge(START, 'a')
          .edge('a', END),
      ],
      [
        'in a router',
        graph('r', { state: { x: '' } })
          .node('a', () => ({}))
          .edge(START, 'a')
          .branch('a', async () => ((await interrupt('route?')) === 1 ? END : []), [END]),
      ],
      [
        'in a router',
        graph('r', { state: { x: '' } })
          .node('a', () => ({}))
          .edge(START, 'a')
          .branch('a', async (_state, ctx) => ((await ctx.interrupt('?')) === 1 ? END : []), [END]),
      ],
      [
        'in a router',
        graph('r', { state: { x: '' } })
          .node('a', () => ({}))
          .edge(START, 'a')
          .branch('a', async () => ((await step('s', () => 1)) === 1 ? END : []), [END]),
      ],
      [
        'in a subgraph mapper',
        graph('r', { state: { x: '' } })
          .node('a', inner, { input: () => ({ x: String(interrupt('map?')) }) })
          .edge(START, 'a')
          .edge('a', END),
      ],
      [
        'in an output function',
        graph('r', { state: { x: '' }, output: async () => interruptForApproval('out?') })
          .node('a', () => ({}))
          .edge(START, 'a')
          .edge('a', END),
      ],
    ]
    for (const [where, asking] of cases) {
      const failed = await new Threads().start(asking)
      expect(failed.status).toBe('failed')
      expect(failed.error?.message).toContain(where)
      expect(failed.interrupts).toEqual([])
    }
  })

  test('a reducer that throws fails the nodes that wrote, and the state stays', async () => {
    const threads = new Threads()
    let broken = true
    const body = graph('reduce', {
      state: {
        n: channel<number>({
          initial: 0,
          reduce: (a, b) => {
            if (broken) throw new Error('bad sum')
            return a + b
          },
        }),
      },
    })
      .node('a', () => ({ n: 1 }))
      .edge(START, 'a')
      .edge('a', END)
    const failed = await threads.start(body)
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('bad sum')
    expect(failed.state).toEqual({ n: 0 })
    broken = false
    expect((await threads.resume(body, failed)).state).toEqual({ n: 1 })
  })

  test('asking after the run has gone is refused, and nothing is left unhandled', async () => {
    const threads = new Threads()
    const late: unknown[] = []
    let done: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      done = resolve
    })
    const body = flow('late', async () => {
      setTimeout(() => {
        interruptForInput('late?')
          .catch((error: unknown) => late.push(error))
          .finally(done)
      }, 5)
      return 'out'
    })
    expect((await threads.start(body)).output).toBe('out')
    await finished
    expect(late).toMatchObject([{ name: 'FencedError' }])
  })
})
