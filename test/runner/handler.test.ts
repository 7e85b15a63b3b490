import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  AmbiguousAnswerError,
  channel,
  Command,
  END,
  ErrCanceled,
  ErrInterrupted,
  ErrInvalidResume,
  ErrNoCheckpoint,
  ErrTimeout,
  findSignal,
  flow,
  graph,
  Handler,
  type HexagonError,
  interrupt,
  interruptForApproval,
  interruptForChoice,
  interruptForInput,
  interruptSignal,
  interruptWithOptions,
  mustInterrupt,
  NoScopeError,
  NoStoreError,
  Reviews,
  Runner,
  START,
  UnknownInterruptError,
  withDefault,
  withTimeout,
  withValidator,
  type Interrupt,
  type InterruptOption,
  type RunEvent,
} from '../../src/index.ts'
import { memoryStore, type Store } from '../../src/stores/index.ts'
import { questionAsking, Threads } from '../support/threads.ts'

/** A handler over a store, as one process has it. */
function desk(store: Store | undefined = memoryStore()) {
  const runner = new Runner(store === undefined ? {} : { store })
  return { runner, store, handler: new Handler(runner) }
}

/** Resolves when the run has asked `count` questions. */
async function asked(run: AsyncIterable<RunEvent>, count = 1): Promise<Interrupt[]> {
  const open: Interrupt[] = []
  for await (const event of run) {
    if (event.type === 'interrupt:open') open.push(event.interrupt)
    if (open.length === count) break
  }
  await settled()
  return open
}

/** Lets what is due now run: a question is handed over a turn after it is saved. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}

const review = flow('review', async () => ({ said: await interrupt<string>('Review?') }))

describe('a handler', () => {
  test('S158 keeps a waiting call until it is answered, then the entry is gone', async () => {
    const { runner, handler } = desk()
    const run = handler.run(review)
    const [question] = await asked(run)
    expect(await handler.getPending(run.threadId)).toEqual(question)
    expect(await handler.listPending()).toEqual([question])
    const record = await runner.get(run.threadId)
    expect(record.interrupts).toEqual([question])

    expect(await handler.resume(run.threadId, 'fine')).toBeUndefined()
    expect(await handler.getPending(run.threadId)).toBeUndefined()
    expect(await run.result).toMatchObject({ status: 'completed', output: { said: 'fine' } })
    expect(await handler.listPending()).toEqual([])
  })

  test('S159 without one, asking is an error', async () => {
    expect(() => interrupt('nobody there')).toThrow(NoScopeError)
    const alone = await new Runner().invoke(review)
    expect(alone.status).toBe('failed')
    expect(alone.error).toBeInstanceOf(NoStoreError)
  })

  test.each([memoryStore(), undefined])('S159 knows no thread that is not there', async (store) => {
    const { handler } = desk(store)

    await expect(handler.resume('nowhere', 1)).rejects.toThrow(ErrNoCheckpoint)
    await expect(handler.cancel('nowhere', 'why')).rejects.toThrow(ErrNoCheckpoint)
    expect(await handler.getPending('nowhere')).toBeUndefined()
  })

  test('S160 lets a cancelled call fail with the reason', async () => {
    const { handler } = desk()
    let caught: unknown
    const careful = flow('careful', async () => {
      try {
        return await interrupt('Input?')
      } catch (error) {
        caught = error
        throw error
      }
    })
    const run = handler.run(careful)
    await asked(run)
    await handler.cancel(run.threadId, 'bad input')
    const failed = await run.result

    expect(caught).toBeInstanceOf(ErrCanceled)
    expect(failed).toMatchObject({ status: 'failed', interrupts: [] })
    expect(failed.error?.message).toContain('bad input')
    expect(await handler.listPending()).toEqual([])
  })

  test('S160 closes a thread that rests', async () => {
    const { runner, store } = desk()
    const paused = await runner.invoke(review)
    await desk(store).handler.cancel(paused.threadId, 'no longer needed')

    expect((await runner.get(paused.threadId)).status).toBe('cancelled')
  })

  test('S161 lists two questions of one thread and takes their answers apart', async () => {
    const { handler } = desk()
    const pair = flow('pair', () => Promise.all([interrupt('one?'), interrupt('two?')]))
    const run = handler.run(pair)
    const [one, two] = await asked(run, 2)
    expect(await handler.listPending(run.threadId)).toEqual([one, two])

    await expect(handler.resume(run.threadId, 'which?')).rejects.toThrow(AmbiguousAnswerError)
    await handler.resume(run.threadId, { [two?.id ?? '']: 2 })
    expect(await handler.listPending(run.threadId)).toEqual([one])
    await expect(handler.resume(run.threadId, { [two?.id ?? '']: 2 })).rejects.toThrow(
      UnknownInterruptError,
    )
    await handler.resume(run.threadId, { [one?.id ?? '']: 1 })

    expect((await run.result).output).toEqual([1, 2])
  })

  test('takes an object for the answer when it is no map of questions', async () => {
    const { handler } = desk()
    const run = handler.run(review)
    await asked(run)
    await handler.resume(run.threadId, { approved: true })

    expect((await run.result).output).toEqual({ said: { approved: true } })
  })

  test('S162 tells a timeout from a cancellation', async () => {
    const { handler } = desk()
    const short = flow('short', () => interruptWithOptions('Quick?', withTimeout(20)))
    const run = handler.run(short)
    const expired = await run.result

    expect(expired.status).toBe('failed')
    const cause = expired.error instanceof ErrTimeout ? expired.error : expired.error?.cause
    expect(cause).toBeInstanceOf(ErrTimeout)
    expect(cause).not.toBeInstanceOf(ErrCanceled)
    expect(await handler.listPending()).toEqual([])
  })

  test('S162 gives the default when the time is up', async () => {
    const { handler } = desk()
    const short = flow('short', () =>
      interruptWithOptions<string>('Quick?', withTimeout(20), withDefault('later')),
    )

    expect((await handler.run(short).result).output).toBe('later')
  })

  test('S162 refuses a default that is no answer, where it is given', async () => {
    const wrong: (() => Promise<unknown>)[] = [
      () => interruptForChoice('Which?', ['a', 'b'], { default: 'c' }),
      () => interruptForInput('Name?', { default: 7 as never }),
      () => interruptForApproval('Sure?', { default: 'yes' as never }),
      () => interrupt('Age?', { schema: z.number().min(0), default: -1 }),
    ]
    const results = await Promise.all(
      wrong.map((ask) => new Runner({ store: memoryStore() }).invoke(flow('wrong', ask))),
    )

    expect(results.map(({ error }) => (error as HexagonError).code)).toEqual(
      wrong.map(() => 'E2136'),
    )
  })

  test('S164 rejects a value outside the choices, and the question stays pending', async () => {
    const { handler } = desk()
    const pick = flow('pick', () => interruptForChoice('Which?', ['a', 'b']))
    const run = handler.run(pick)
    const [question] = await asked(run)
    await expect(handler.resume(run.threadId, 'c')).rejects.toThrow(ErrInvalidResume)
    expect(await handler.listPending()).toEqual([question])
    await handler.resume(run.threadId, 'b')

    expect((await run.result).output).toBe('b')
  })

  test('asks a validator before it takes an answer', async () => {
    const { handler } = desk()
    const even = withValidator<number>((value) => value % 2 === 0 || 'must be even')
    const number = flow('number', () => interruptWithOptions<number>('Even?', even))
    const run = handler.run(number)
    await asked(run)
    await expect(handler.resume(run.threadId, 3)).rejects.toThrow(/must be even/u)
    await handler.resume(run.threadId, 4)

    expect((await run.result).output).toBe(4)
  })

  test('S165 continues a thread that an earlier process left', async () => {
    const { runner, store } = desk()
    const paused = await runner.invoke(review)
    const later = new Handler(new Runner({ ...(store && { store }), flows: [review] }))
    expect(await later.listPending()).toEqual(paused.interrupts)
    const done = await later.resume(paused.threadId, 'later')

    expect(done).toMatchObject({ status: 'completed', output: { said: 'later' } })
    expect(await later.listPending()).toEqual([])
  })

  test('works without a store for runs of this process', async () => {
    const { handler } = desk(undefined)
    const run = new Handler(new Runner()).run(review)
    const own = handler.run(review)
    await asked(own)
    await handler.resume(own.threadId, 'kept in memory')
    run.cancel('immediate')

    expect((await own.result).output).toEqual({ said: 'kept in memory' })
  })

  test('lets go of a run that stops', async () => {
    const { handler } = desk()
    const run = handler.run(review)
    await asked(run)
    run.cancel('immediate', 'enough')
    const stopped = await run.result

    expect(stopped.status).toBe('suspended')
    expect(await handler.listPending()).toEqual(stopped.interrupts)
  })

  test('hands on questions that open later', async () => {
    const { handler } = desk()
    const two = flow('two', async () => [await interrupt('one?'), await interrupt('two?')])
    const run = handler.run(two)
    await asked(run)
    await handler.resume(run.threadId, 1)
    await settled()
    expect((await handler.listPending()).map(({ message }) => message)).toEqual(['two?'])
    await handler.resume(run.threadId, 2)

    expect((await run.result).output).toEqual([1, 2])
  })
})

describe('the names of other frameworks', () => {
  test('are what is really thrown', async () => {
    const asks = flow('asks', () => {
      throw interruptSignal('?')
    })
    const signal = findSignal(interruptSignal('?'))
    expect(signal).toBeInstanceOf(ErrInterrupted)
    expect((await new Runner({ store: memoryStore() }).invoke(asks)).status).toBe('suspended')
  })

  test('mustInterrupt() ends code that nobody can answer', async () => {
    expect(() => mustInterrupt('?')).toThrow(NoScopeError)
    const { handler } = desk()
    const run = handler.run(flow('must', () => mustInterrupt<number>('How many?')))
    await asked(run)
    await handler.resume(run.threadId, 3)

    expect((await run.result).output).toBe(3)
  })

  test('the last word on an option counts', async () => {
    const options: InterruptOption<string>[] = [withDefault('first'), withDefault('last')]
    const { handler } = desk()
    const short = flow('short', () =>
      interruptWithOptions<string>('?', withTimeout('20ms'), ...options),
    )

    expect((await handler.run(short).result).output).toBe('last')
  })
})

describe('a review', () => {
  const publish = flow('publish', () =>
    interruptForApproval('Publish?', { detail: true, key: 'publish' }),
  )
  const anything = flow('anything', () => interrupt('Anything?'))

  test.each([
    ['approve', undefined, publish, 'approved', { approved: true }],
    ['reject', 'too long', publish, 'rejected', { approved: false, reason: 'too long' }],
    ['submit', { text: 'done' }, anything, 'completed', { text: 'done' }],
    ['escalate', 'to Ada', anything, 'completed', 'to Ada'],
  ])('S169 is decided by %s', async (action, data, flowed, status, output) => {
    const { handler } = desk()
    const reviews = new Reviews(handler)
    const run = handler.run(flowed)
    await asked(run)
    const [pending] = await reviews.list()
    expect(pending).toMatchObject({ status: 'pending', threadId: run.threadId })
    const id = pending?.id ?? ''
    const awaited = reviews.wait(id)

    expect(await reviews.resolve(id, action, data)).toMatchObject({ status })
    expect((await awaited).status).toBe(status)
    expect((await reviews.wait(id)).status).toBe(status)
    expect(await reviews.list()).toEqual([])
    expect((await run.result).output).toEqual(output)
    await expect(reviews.resolve(id, 'approve')).rejects.toThrow(/already answered/u)
  })

  test('S169 is cancelled', async () => {
    const { handler } = desk()
    const reviews = new Reviews(handler)
    const run = handler.run(publish)
    const [question] = await asked(run)
    const decided = await reviews.resolve(question?.id ?? '', 'cancel', 'changed our mind')

    expect(decided.status).toBe('cancelled')
    expect((await run.result).error?.message).toContain('changed our mind')
    expect((await reviews.get(question?.id ?? ''))?.status).toBe('cancelled')
  })

  test('S169 is waited for no longer than asked', async () => {
    const { handler } = desk()
    const reviews = new Reviews(handler)
    const run = handler.run(publish)
    const [question] = await asked(run)
    await expect(reviews.wait(question?.id ?? '', 10)).rejects.toThrow(ErrTimeout)
    await expect(reviews.wait('i_nothing')).rejects.toThrow(UnknownInterruptError)
    await reviews.resolve(question?.id ?? '', 'approve')

    expect((await run.result).status).toBe('completed')
  })
})

describe('commands', () => {
  const jump = (to: string) => {
    const built = graph('jump', { state: { seen: '', at: 0 } })
      .node('start', () => new Command({ goto: to, update: { at: 1 } }), { ends: ['x', END] })
      .node('x', ({ at }) => ({ seen: `x after ${at}` }))
      .edge(START, 'start')
      .edge('x', END)
    return new Runner().invoke(built)
  }

  test('S170 answer, update and jump in one: the answered goes on, what is left is closed', async () => {
    const threads = new Threads()
    const flowed = graph('all', {
      state: {
        log: channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] }),
        note: '',
      },
    })
      .node('one', async () => ({ log: [await interruptForInput('one?')] }))
      .node('two', async () => ({ log: [await interruptForInput('two?')] }))
      .node('x', ({ note }) => ({ log: [`x saw ${note}`] }))
      .edge(START, 'one')
      .edge(START, 'two')
      .edge('one', END)
      .edge('two', END)
      .edge('x', END)
      .branch('one', () => END, ['x', END])
    const paused = await threads.start(flowed)
    const command = {
      answers: { [questionAsking(paused, 'one?').id]: 'answered' },
      update: { note: 'edit' },
      goto: 'x',
    }
    await expect(threads.resume(flowed, paused, { ...command, goto: 'y' })).rejects.toMatchObject({
      hint: 'Did you mean "x"?',
    })
    const done = await threads.resume(flowed, paused, command)
    expect(done.status).toBe('completed')
    expect([...(done.state['log'] as string[])].toSorted()).toEqual(['answered', 'x saw edit'])
    const { answered } = await threads.runner().get(paused.threadId)
    expect(answered.map(({ message, status }) => [message, status])).toEqual([
      ['one?', 'consumed'],
      ['two?', 'cancelled'],
    ])
  })

  test('S170 lead to a node, or to the end, with their update applied', async () => {
    expect((await jump('x')).state).toEqual({ seen: 'x after 1', at: 1 })
    expect((await jump(END)).state).toEqual({ seen: '', at: 1 })
  })

  test.each([
    [true, 'left'],
    [false, 'right'],
    [undefined, 'end'],
  ])('S170 lead where %j says', async (ready, seen) => {
    const by = { true: 'left', false: 'right' } as Record<string, string>
    const built = graph('by', { state: { seen: 'end', ready: undefined as unknown } })
      .node('start', (state) => new Command({ goto: by[String(state.ready)] ?? END }), {
        ends: ['left', 'right', END],
      })
      .node('left', () => ({ seen: 'left' }))
      .node('right', () => ({ seen: 'right' }))
      .edge(START, 'start')
      .edge('left', END)
      .edge('right', END)

    expect((await new Runner().invoke(built, { ready })).state['seen']).toBe(seen)
  })
})
