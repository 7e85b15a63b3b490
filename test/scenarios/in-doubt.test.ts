import { describe, expect, test } from 'vitest'

import { flow, interruptForInput, step, type StepOptions } from '../../src/index.ts'
import { KillableThread } from '../support/killable.ts'
import { messages, question, Threads } from '../support/threads.ts'

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
})
