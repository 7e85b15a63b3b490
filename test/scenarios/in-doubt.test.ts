import { describe, expect, test } from 'vitest'

import {
  END,
  flow,
  graph,
  interruptForInput,
  Runner,
  START,
  step,
  type StepOptions,
} from '../../src/index.ts'
import { KillableThread } from '../support/killable.ts'
import { Latch, messages, question, Threads } from '../support/threads.ts'

/** A flow that pays once, and is killed behind the effect as often as `kills` says. */
function paying(
  effects: string[],
  { kills = 1, ...options }: StepOptions<string> & { kills?: number } = {},
): KillableThread {
  let left = kills
  return new KillableThread((thread) =>
    flow('paying', async () => {
      await step('before', () => effects.push('before'))
      const receipt = await step(
        'pay',
        () => {
          effects.push('pay')
          if (left-- > 0) thread.kill()
          return `receipt ${effects.filter((effect) => effect === 'pay').length}`
        },
        { once: true, ...options },
      )
      await step('after', () => effects.push('after'))
      return receipt
    }),
  )
}

describe('a step that runs once', () => {
  test('is in doubt when its process was killed behind it, and a person is asked', async () => {
    const effects: string[] = []
    const thread = paying(effects, { args: { amount: 12 } })
    expect(await thread.go()).toBeUndefined()

    const asked = await thread.go()

    expect(asked?.status).toBe('suspended')
    expect(effects).toEqual(['before', 'pay'])
    expect(question(asked ?? { interrupts: [] })).toMatchObject({
      kind: 'doubt',
      message: 'Did the step "pay" happen?',
      danger: true,
      key: 'node:paying/step:pay',
      payload: {
        step: 'pay',
        args: { amount: 12 },
        began: new Date(1_000_000).toISOString(),
        why: 'It began, and no result of it was saved.',
        idempotencyKey: expect.stringMatching(/^t\/.+"pay"/u) as string,
      },
    })
  })

  test('that happened goes on with the result it is given', async () => {
    const effects: string[] = []
    const thread = paying(effects)
    await thread.go()
    await thread.go()

    const done = await thread.answer({ happened: true, result: 'receipt 1' })

    expect(done).toMatchObject({ status: 'completed', output: 'receipt 1' })
    expect(effects).toEqual(['before', 'pay', 'after'])
  })

  test('that did not happen runs, and is in doubt again when that is cut off too', async () => {
    const effects: string[] = []
    const thread = paying(effects, { kills: 2 })
    await thread.go()
    const first = question((await thread.go()) ?? { interrupts: [] })

    expect(await thread.answer('run')).toBeUndefined()
    const second = question((await thread.go()) ?? { interrupts: [] })

    expect(second.id).not.toBe(first.id)
    expect(effects).toEqual(['before', 'pay', 'pay'])
    expect(await thread.answer({ happened: false })).toMatchObject({ output: 'receipt 3' })
    expect(effects).toEqual(['before', 'pay', 'pay', 'pay', 'after'])
  })

  test('that is given up fails, and is asked about again when it is retried', async () => {
    const effects: string[] = []
    const thread = paying(effects)
    await thread.go()
    await thread.go()

    const failed = await thread.answer('fail')
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'E2141' } })

    const asked = await thread.go()
    expect(messages(asked ?? { interrupts: [] })).toEqual(['Did the step "pay" happen?'])
    expect(await thread.answer('happened')).toMatchObject({ status: 'completed' })
    expect(effects).toEqual(['before', 'pay', 'after'])
  })

  test.each([true, 'yes', 'happened!', null, { happened: 'yes' }, { happened: false, result: 1 }])(
    'takes no other answer: %j',
    async (answer) => {
      const effects: string[] = []
      const thread = paying(effects)
      await thread.go()
      await thread.go()
      await expect(thread.answer(answer)).rejects.toMatchObject({ code: 'E1202' })
      expect(await thread.open()).toHaveLength(1)
      expect(effects).toEqual(['before', 'pay'])
    },
  )

  test('is asked about by nobody when verify knows that it happened', async () => {
    const effects: string[] = []
    const thread = paying(effects, {
      verify: ({ idempotencyKey, at }) => {
        expect(idempotencyKey).toMatch(/^t\//u)
        expect(at).toBe(new Date(1_000_000).toISOString())
        return { happened: true, result: 'found' }
      },
    })
    await thread.go()
    expect(await thread.go()).toMatchObject({ status: 'completed', output: 'found' })
    expect(effects).toEqual(['before', 'pay', 'after'])
  })

  test('runs when verify knows that it did not happen', async () => {
    const effects: string[] = []
    const thread = paying(effects, { verify: () => false })
    await thread.go()
    expect(await thread.go()).toMatchObject({ status: 'completed', output: 'receipt 2' })
    expect(effects).toEqual(['before', 'pay', 'pay', 'after'])
  })

  test.each([
    ['can not tell', () => undefined],
    [
      'fails',
      () => {
        throw new Error('away')
      },
    ],
    ['gives something else', () => 'yes' as never],
  ])('is asked about when verify %s', async (_, verify) => {
    const effects: string[] = []
    const thread = paying(effects, { verify })
    await thread.go()
    const asked = question((await thread.go()) ?? { interrupts: [] })
    expect(asked.payload).toMatchObject({ verify: 'It could not tell.' })
    expect(await thread.answer({ happened: true, result: 'seen' })).toMatchObject({
      output: 'seen',
    })
  })

  test('costs no question when nothing is cut off, and its result is remembered', async () => {
    let ran = 0
    const threads = new Threads()
    const body = flow('calm', async () => {
      const first = await step('pay', () => (ran += 1), { once: true })
      await interruptForInput('ok?')
      return [first, await step('pay', () => (ran += 1), { once: true })]
    })
    const paused = await threads.start(body)
    expect(messages(paused)).toEqual(['ok?'])
    expect((await threads.resume(body, paused, { answer: 'x' })).output).toEqual([1, 2])
  })

  test('that threw is in doubt when it is retried, and its failure is remembered before that', async () => {
    let ran = 0
    const threads = new Threads()
    const body = flow('throws', async () =>
      step(
        'pay',
        () => {
          ran += 1
          throw new RangeError('connection reset')
        },
        { once: true },
      ),
    )
    const failed = await threads.start(body)
    expect(failed.error?.cause).toMatchObject({ message: 'connection reset' })

    const asked = await threads.resume(body, failed)
    expect(question(asked).payload).toMatchObject({
      why: 'It failed (connection reset); what it did before that is not known.',
    })
    expect(await threads.resume(body, asked, { answer: 'happened' })).toMatchObject({
      status: 'completed',
    })
    expect(ran).toBe(1)
  })

  test('that threw, and whose failure was handled, fails the same way on every entry', async () => {
    let ran = 0
    const threads = new Threads()
    const body = flow('handled', async () => {
      const said = await step(
        'pay',
        () => {
          ran += 1
          throw new RangeError('no money')
        },
        { once: true },
      ).catch((error: Error) => `${error.name}: ${error.message}`)
      return [said, await interruptForInput('ok?')]
    })
    const paused = await threads.start(body)
    expect(messages(paused)).toEqual(['ok?'])
    const done = await threads.resume(body, paused, { answer: 'x' })
    expect(done.output).toEqual(['RangeError: no money', 'x'])
    expect(ran).toBe(1)
  })

  test('is tried again only after verify said that the failed try did not happen', async () => {
    const said: string[] = []
    const done = await new Threads().start(
      flow('tries', async () =>
        step(
          'pay',
          ({ attempt }) => {
            said.push(`try ${attempt}`)
            if (attempt < 3) throw new Error('reset')
            return attempt
          },
          {
            once: true,
            retry: { attempts: 3, delay: 0 },
            verify: () => {
              said.push('verify')
              return false
            },
          },
        ),
      ),
    )
    expect(done.output).toBe(3)
    expect(said).toEqual(['try 1', 'verify', 'try 2', 'verify', 'try 3'])
  })

  test('whose failed try happened all the same is not tried again', async () => {
    let ran = 0
    const done = await new Threads().start(
      flow('reset', async () =>
        step(
          'pay',
          () => {
            ran += 1
            throw new Error('reset')
          },
          {
            once: true,
            retry: { delay: 0 },
            verify: () => ({ happened: true, result: 'paid' as never }),
          },
        ),
      ),
    )
    expect(done.output).toBe('paid')
    expect(ran).toBe(1)
  })

  test('whose node tries again is asked about', async () => {
    let ran = 0
    const body = graph('again', { state: { paid: '' } })
      .node(
        'pay',
        async () => ({
          paid: await step(
            'pay',
            (): string => {
              ran += 1
              throw new Error('reset')
            },
            { once: true },
          ),
        }),
        { retry: { attempts: 2, delay: 0 } },
      )
      .edge(START, 'pay')
      .edge('pay', END)
    const threads = new Threads()
    const asked = await threads.start(body)
    expect(question(asked)).toMatchObject({
      kind: 'doubt',
      payload: { why: expect.stringContaining('reset') as string },
    })
    const done = await threads.resume(body, asked, { answer: { happened: true, result: 'paid' } })
    expect(done.state).toEqual({ paid: 'paid' })
    expect(ran).toBe(1)
  })

  test('whose time is up is in doubt at once', async () => {
    let ran = 0
    const threads = new Threads()
    const body = flow('slow', async () =>
      step(
        'pay',
        async () => {
          ran += 1
          return ran > 1 ? 'second' : new Promise<string>(() => undefined)
        },
        { once: true, timeout: 5 },
      ),
    )
    const asked = await threads.start(body)
    expect(question(asked).payload).toMatchObject({
      why: 'It did not end in time, and may still go on.',
    })
    expect((await threads.resume(body, asked, { answer: 'run' })).output).toBe('second')
  })

  test('whose time is up fails when verify knows that it did not happen', async () => {
    const failed = await new Threads().start(
      flow('slow', async () =>
        step('pay', () => new Promise<string>(() => undefined), {
          once: true,
          timeout: 5,
          verify: () => false,
        }),
      ),
    )
    expect(failed).toMatchObject({ status: 'failed', interrupts: [] })
    expect(failed.error).toMatchObject({ code: 'E2142' })
  })

  test('that runs in a node whose time is up is asked about when that is retried', async () => {
    let ran = 0
    const body = graph('late', { state: { paid: 0 } })
      .node(
        'pay',
        async () => ({
          paid: await step(
            'pay',
            () => {
              ran += 1
              return new Promise<number>(() => undefined)
            },
            { once: true },
          ),
        }),
        { timeout: 20 },
      )
      .edge(START, 'pay')
      .edge('pay', END)
    const threads = new Threads()
    const failed = await threads.start(body)
    expect(failed.error?.cause ?? failed.error).toMatchObject({ code: 'E2116' })
    const asked = await threads.resume(body, failed)
    expect(question(asked).kind).toBe('doubt')
    expect(ran).toBe(1)
  })

  test('that was given up by a stop at once is asked about', async () => {
    const threads = new Threads()
    const begun = new Latch()
    let ran = 0
    const body = flow('stopped', async () =>
      step(
        'pay',
        async () => {
          ran += 1
          await begun.wait()
        },
        { once: true },
      ),
    )
    const run = threads.run(body)
    await begun.reached
    run.cancel('immediate', 'Ctrl+C')
    const stopped = await run.result
    expect(stopped.status).toBe('suspended')
    begun.open()
    const asked = await threads.resume(body, stopped)
    expect(question(asked).kind).toBe('doubt')
    expect(await threads.resume(body, asked, { answer: 'happened' })).toMatchObject({
      status: 'completed',
    })
    expect(ran).toBe(1)
  })

  test.each([
    ['ask', () => interruptForInput('x?')],
    ['call another step', () => step('x', () => 'x')],
  ])('can not %s inside', async (_, inside) => {
    const failed = await new Threads().start(
      flow('inside', async () => step('pay', inside, { once: true })),
    )
    expect(failed.error).toMatchObject({ code: 'E2103' })
    expect(failed.error?.message).toContain('in a step that runs once')
  })

  test('can not ask in its verify', async () => {
    const asked = await new Threads().start(
      flow('inside', async () =>
        step('pay', () => Promise.reject<string>(new Error('no')), {
          once: true,
          retry: { delay: 0 },
          verify: async () => (await interruptForInput('x?')) as never,
        }),
      ),
    )
    expect(messages(asked)).toEqual(['Did the step "pay" happen?'])
  })

  test('goes on in place when the answer comes while the run waits', async () => {
    const effects: string[] = []
    const body = flow('live', async () =>
      step(
        'pay',
        () => {
          effects.push('pay')
          if (effects.length === 1) throw new Error('reset')
          return 'paid'
        },
        { once: true, retry: { delay: 0 }, verify: () => undefined },
      ),
    )
    const threads = new Threads({
      onInterrupt: (open) => Object.fromEntries(open.map(({ id }) => [id, 'run'])),
    })
    expect((await threads.start(body)).output).toBe('paid')
    const replaying = new Threads({
      replay: 'always',
      onInterrupt: (open) => Object.fromEntries(open.map(({ id }) => [id, 'run'])),
    })
    effects.length = 0
    expect((await replaying.start(body)).output).toBe('paid')
    expect(effects).toEqual(['pay', 'pay'])
  })

  test.each(['sync', 'async', 'exit'] as const)(
    'has its intent and its receipt saved with durability %s',
    async (durability) => {
      const effects: string[] = []
      const thread = new KillableThread((killable) =>
        flow('paying', async () => {
          await step('pay', () => effects.push('pay'), { once: true })
          await step('mail', () => (effects.push('mail') === 2 ? killable.kill() : undefined), {
            once: true,
          })
        }),
      )
      await thread.go({}, { durability })
      await thread.go({}, { durability })
      expect(messages({ interrupts: await thread.open() })).toEqual(['Did the step "mail" happen?'])
      expect(effects).toEqual(['pay', 'mail'])
    },
  )

  test('is asked about when its thread was put back to an earlier version', async () => {
    let ran = 0
    const threads = new Threads()
    const body = flow('restored', async () => {
      await interruptForInput('go?')
      return step('pay', () => (ran += 1), { once: true })
    })
    const inDoubt = { afterVersion: 2, at: '2026-01-01T00:00:00.000Z', kept: [] }
    const paused = await threads.start(body, undefined, { meta: { inDoubt } })
    const asked = await threads.resume(body, paused, { answer: 'x' })
    expect(question(asked).payload).toMatchObject({
      why: 'The thread was put back to an earlier version; it may have run after that.',
    })
    const done = await threads.resume(body, asked, { answer: { happened: true, result: 7 } })
    expect(done.output).toBe(7)
    expect(ran).toBe(0)
  })

  test('is in doubt in a fork too, under a key of its own', async () => {
    const effects: string[] = []
    const keys: string[] = []
    const thread = paying(effects, {
      verify: ({ idempotencyKey }) => void keys.push(idempotencyKey.slice(0, 2)),
    })
    await thread.go()
    const runner = new Runner({ store: thread.store })
    await thread.go()
    const [asked] = await thread.open()
    const { version } = await runner.get('t')
    const fork = await runner.fork('t', { at: version, threadId: 'f' })
    const { interrupts } = await runner.get('f')
    expect(fork).toBeDefined()
    expect(interrupts).toMatchObject([{ kind: 'doubt', message: asked?.message }])
    const { result } = runner.resume('f', { answer: 'run' }, { flow: thread.flow as never })
    expect(await result).toMatchObject({ status: 'completed', output: 'receipt 2' })
    expect(await thread.answer('happened')).toMatchObject({ status: 'completed' })
    expect(keys).toEqual(['t/'])
  })

  test('is looked for in a fork by the key of the thread that began it', async () => {
    const keys: string[] = []
    const effects: string[] = []
    const thread = paying(effects, {
      verify: ({ idempotencyKey }) => {
        keys.push(idempotencyKey.slice(0, 2))
        return false
      },
    })
    await thread.go()
    const runner = new Runner({ store: thread.store })
    await runner.fork('t', { threadId: 'f' })

    const done = await runner.resume('f', {}, { flow: thread.flow as never }).result

    expect(done).toMatchObject({ status: 'completed', output: 'receipt 2' })
    expect(keys).toEqual(['t/'])
  })

  test('that is given up, and whose failure is handled, fails the same way on every entry', async () => {
    const thread = new KillableThread((killable) =>
      flow('handled', async () => {
        const said = await step('pay', () => killable.kill(), { once: true }).catch(
          ({ name, message }: Error) => `${name}: ${message}`,
        )
        return [said, await interruptForInput('ok?')]
      }),
    )
    await thread.go()
    await thread.go()
    expect(messages((await thread.answer('fail')) ?? { interrupts: [] })).toEqual(['ok?'])
    const done = await thread.answer('x')
    expect(done?.output).toEqual([expect.stringMatching(/^InDoubtError: .+ "pay" happened/u), 'x'])
  })
})
