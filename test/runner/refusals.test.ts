import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  channel,
  END,
  flow,
  FlowChangedError,
  graph,
  type HexagonError,
  interrupt,
  interruptForApproval,
  interruptForChoice,
  interruptForForm,
  interruptForInput,
  InvalidAnswerError,
  isHexagonError,
  type ResumeCommand,
  StaleAnswerError,
  StaleVersionError,
  START,
  step,
  ThreadClosedError,
  ThreadLockedError,
  UnknownInterruptError,
  UnknownNameError,
  UnknownThreadError,
} from '../../src/index.ts'
import {
  type AnyFlow,
  Latch,
  messages,
  question,
  questionAsking,
  Threads,
} from '../support/threads.ts'

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** Two questions at once, and one behind them. */
const pair = graph('pair', { state: { log: list() } })
  .node('left', async () => ({ log: [await interruptForInput('left?', { key: 'left' })] }))
  .node('right', async () => ({ log: [await interruptForInput('right?')] }))
  .node('then', async () => ({ log: [await interruptForInput('then?')] }))
  .edge(START, 'left')
  .edge(START, 'right')
  .join('then', ['left', 'right'])
  .edge('then', END)

/** The thread as it stands, but for when it was held last. */
async function standing(threads: Threads, threadId: string): Promise<unknown> {
  const { updatedAt: _heldAt, ...view } = await threads.runner().get(threadId)
  return view
}

/** Refuses `command`, and leaves the thread as it was. */
async function refused(
  at: { threads: Threads; flow: AnyFlow; threadId: string },
  command: ResumeCommand,
): Promise<HexagonError> {
  const { threads, threadId } = at
  const before = await standing(threads, threadId)
  const error = await threads
    .resume(at.flow, threadId, command)
    .then(() => undefined)
    .catch((thrown: unknown) => thrown)
  expect(await standing(threads, threadId)).toEqual(before)
  if (!isHexagonError(error)) throw new Error(`refused is wanted, got ${String(error)}`)
  return error
}

describe('what a resume refuses', () => {
  test('an unknown thread', async () => {
    await expect(new Threads().resume(pair, 'nobody')).rejects.toThrow(UnknownThreadError)
  })

  test('a thread that was cancelled', async () => {
    const threads = new Threads()
    const { threadId } = await threads.start(pair)
    await threads.runner().cancel(threadId)
    expect(await refused({ threads, flow: pair, threadId }, { answer: 1 })).toBeInstanceOf(
      ThreadClosedError,
    )
    expect(await refused({ threads, flow: pair, threadId }, {})).toBeInstanceOf(ThreadClosedError)
    await expect(threads.runner().cancel(threadId)).rejects.toThrow(ThreadClosedError)
  })

  test('a thread that is being run, with who runs it', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const run = threads.run(
      flow('slow', async () => latch.wait()),
      undefined,
      { threadId: 't' },
    )
    await latch.reached
    const error = await threads.resume(pair, 't').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ThreadLockedError)
    expect(error).toMatchObject({ holder: { pid: process.pid } })
    latch.open()
    await run.result
  })

  test('an unknown or empty question, with what is open', async () => {
    const threads = new Threads()
    const { threadId, interrupts } = await threads.start(pair)
    for (const id of ['i_nosuchquestion', '', '#7', 'node:nowhere']) {
      const error = await refused({ threads, flow: pair, threadId }, { answers: { [id]: 'x' } })
      expect(error).toBeInstanceOf(UnknownInterruptError)
      for (const open of interrupts) expect(error.hint).toContain(open.id)
    }
  })

  test('a second answer, with who gave the first', async () => {
    const threads = new Threads({ source: { by: 'ann' } })
    const paused = await threads.start(pair)
    const { threadId } = paused
    const left = questionAsking(paused, 'left?')
    await threads.resume(pair, threadId, { answers: { [left.id]: 'L' } })
    for (const name of [left.id, '#1', 'left', 'node:left']) {
      const error = await refused({ threads, flow: pair, threadId }, { answers: { [name]: 'M' } })
      expect(error).toBeInstanceOf(AlreadyAnsweredError)
      expect(error.message).toContain('by ann')
      expect(error.hint).toContain('right?')
    }
  })

  test('a bare answer while several questions are open', async () => {
    const threads = new Threads()
    const { threadId, interrupts } = await threads.start(pair)
    const error = await refused({ threads, flow: pair, threadId }, { answer: 'x' })
    expect(error).toBeInstanceOf(AmbiguousAnswerError)
    for (const { id } of interrupts) expect(error.hint).toContain(id)
  })

  test('a value of the wrong type', async () => {
    const cases: readonly [AnyFlow, unknown[], string][] = [
      [
        flow('approval', async () => interruptForApproval('ok?')),
        [
          'yes',
          'true',
          1,
          null,
          undefined,
          {},
          { approved: 'true' },
          { approved: true, edited: 1 },
        ],
        'E1201',
      ],
      [
        flow('choice', async () => interruptForChoice('Which?', ['a', { value: 2, name: 'two' }])),
        ['A', ' a', 'b', '2', 'two', null, { value: 'a' }],
        'E1202',
      ],
      [flow('input', async () => interruptForInput('name?')), [1, null, {}, undefined], 'E1208'],
    ]
    for (const [asking, values, code] of cases) {
      const threads = new Threads()
      const { threadId } = await threads.start(asking)
      for (const value of values) {
        const error = await refused({ threads, flow: asking, threadId }, { answer: value })
        expect(error).toBeInstanceOf(InvalidAnswerError)
        expect(error.code).toBe(code)
      }
    }
  })

  test('B91 a choice takes what was offered, by value, and nothing near it', async () => {
    const threads = new Threads()
    const pick = flow('pick', async () =>
      interruptForChoice<unknown>('Which?', [
        'offered',
        { value: 3, name: 'three' },
        { value: { a: 1 }, name: 'obj' },
      ]),
    )
    const { threadId } = await threads.start(pick)
    for (const value of ['not-offered', 'Offered', 'offered ', '3', 'three', { a: 2 }])
      expect(await refused({ threads, flow: pick, threadId }, { answer: value })).toMatchObject({
        code: 'E1202',
      })

    expect((await threads.resume(pick, threadId, { answer: { a: 1 } })).output).toEqual({ a: 1 })
  })

  test('a value that the schema refuses, with every problem and its path', async () => {
    const threads = new Threads()
    const form = flow('form', async () =>
      interruptForForm(
        'Who?',
        z.object({ name: z.string().min(2), tags: z.array(z.object({ n: z.number() })) }),
      ),
    )
    const paused = await threads.start(form)
    expect(question(paused).schema).toMatchObject({ type: 'object' })
    const error = await refused(
      { threads, flow: form, threadId: paused.threadId },
      { answer: { name: 'x', tags: [{ n: 1 }, { n: 'no' }] } },
    )
    expect(error).toBeInstanceOf(InvalidAnswerError)
    expect((error as InvalidAnswerError).problems.map(({ path }) => path)).toEqual([
      'name',
      'tags[1].n',
    ])

    const value = { name: 'xy', tags: [] }
    expect((await threads.resume(form, paused, { answer: value })).output).toEqual(value)
  })

  test('B89 a value that the validator refuses, in every way it may refuse', async () => {
    const validators: readonly [(age: unknown) => unknown, string][] = [
      [(age) => Number(age) > 0 || 'age must be above 0', 'age must be above 0'],
      [(age) => Number(age) > 0, 'the validator refused it'],
      [
        (age) => {
          if (Number(age) > 0) return true
          throw new Error('thrown')
        },
        'thrown',
      ],
      [async (age) => (Number(age) > 0 ? undefined : 'later'), 'later'],
      [async (age) => (Number(age) > 0 ? true : Promise.reject(new Error('rejected'))), 'rejected'],
    ]
    for (const [validate, text] of validators) {
      const threads = new Threads()
      const age = flow('age', async () => interrupt('Age?', { validate }))
      const { threadId, interrupts } = await threads.start(age)
      const error = await threads
        .resume(age, threadId, { answer: -1 })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(InvalidAnswerError)
      expect((error as Error).message).toContain(text)
      const view = await threads.runner().get(threadId)
      expect(view).toMatchObject({ status: 'suspended', interrupts })

      expect((await threads.resume(age, threadId, { answer: 3 })).output).toBe(3)
    }
  })

  test('B89 a validator is asked about a set before any of it is consumed', async () => {
    const threads = new Threads()
    const checked: unknown[] = []
    const both = flow('both', async () =>
      Promise.all([
        interruptForInput('a?', { validate: (value) => void checked.push(value) }),
        interruptForInput('b?', {
          validate: async (value) => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            return value !== 'bad' || 'b is bad'
          },
        }),
      ]),
    )
    const paused = await threads.start(both)
    const [a, b] = paused.interrupts.map(({ id }) => id)
    await expect(
      threads.resume(both, paused, { answers: { [`${a}`]: 'A', [`${b}`]: 'bad' } }),
    ).rejects.toThrow('b is bad')
    expect(checked).toEqual(['A'])
    expect((await threads.runner().get(paused.threadId)).interrupts).toEqual(paused.interrupts)

    const done = await threads.resume(both, paused, {
      answers: { [`${a}`]: 'A', [`${b}`]: 'B' },
    })
    expect(done.output).toEqual(['A', 'B'])
  })

  test('a slow validator does not make its task park beside an open question', async () => {
    const threads = new Threads()
    const slow = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return true
    }
    const both = flow('both', async () =>
      Promise.all([interruptForInput('open?'), interruptForInput('slow?', { validate: slow })]),
    )
    const paused = await threads.start(both)
    const half = await threads.resume(both, paused, {
      answers: { [questionAsking(paused, 'slow?').id]: 'S' },
    })
    expect(messages(half)).toEqual(['open?'])
    const done = await threads.resume(both, paused, { answer: 'O' })
    expect(done.output).toEqual(['O', 'S'])
  })

  test('a digest of another text', async () => {
    const threads = new Threads()
    const paused = await threads.start(pair)
    const { id, digest } = questionAsking(paused, 'left?')
    const at = { threads, flow: pair, threadId: paused.threadId }
    expect(
      await refused(at, { answers: { [id]: 'L' }, digests: { [id]: 'other' } }),
    ).toBeInstanceOf(StaleAnswerError)

    const half = await threads.resume(pair, paused, {
      answers: { [id]: 'L' },
      digests: { [id]: digest },
    })
    expect(messages(half)).toEqual(['right?'])
  })

  test('another version than the expected one', async () => {
    const threads = new Threads()
    const paused = await threads.start(pair)
    const at = { threads, flow: pair, threadId: paused.threadId }
    const error = await refused(at, { answers: { left: 'L' }, ifVersion: paused.version - 1 })
    expect(error).toBeInstanceOf(StaleVersionError)

    const half = await threads.resume(pair, paused, {
      answers: { left: 'L' },
      ifVersion: paused.version,
    })
    expect(messages(half)).toEqual(['right?'])
  })

  test('S175 a flow that has no such node any more, with the nearest name', async () => {
    const threads = new Threads()
    const build = (name: string) =>
      graph('renamed', { state: { log: list() } })
        .node(name, async () => ({ log: [await interruptForInput('ok?')] }))
        .edge(START, name)
        .edge(name, END)
    const { threadId } = await threads.start(build('review'))
    const error = await refused({ threads, flow: build('reviewe'), threadId }, { answer: 'x' })
    expect(error).toBeInstanceOf(FlowChangedError)
    expect(error.message).toContain('"review"')
    expect(error.hint).toContain('"reviewe"')

    const done = await threads.resume(build('review'), threadId, { answer: 'x' })
    expect(done.status).toBe('completed')
  })

  test('B49 a nested flow whose node is gone', async () => {
    const threads = new Threads()
    const build = (name: string) =>
      graph('outer', { state: { log: list() } })
        .node(
          'sub',
          graph('inner', { state: { log: list() } })
            .node(name, async () => ({ log: [await interruptForInput('ok?')] }))
            .edge(START, name)
            .edge(name, END),
        )
        .edge(START, 'sub')
        .edge('sub', END)
    const { threadId } = await threads.start(build('approve'))
    const error = await refused({ threads, flow: build('check'), threadId }, { answer: 'x' })
    expect(error).toBeInstanceOf(FlowChangedError)
    expect(error.hint).toContain('check')
  })

  test('a goto or update that the flow does not know', async () => {
    const threads = new Threads()
    const { threadId } = await threads.start(pair)
    const at = { threads, flow: pair, threadId }
    expect(await refused(at, { goto: 'lefft' })).toBeInstanceOf(UnknownNameError)
    expect(await refused(at, { goto: ['then', 'nowhere'] })).toBeInstanceOf(UnknownNameError)
    expect(await refused(at, { update: { logs: [] } })).toBeInstanceOf(UnknownNameError)
    expect(await refused(at, { update: { log: [() => 1] } })).toMatchObject({
      name: 'SerializationError',
    })
  })

  test('a flow that the runner does not know', async () => {
    const threads = new Threads()
    const { threadId } = await threads.start(pair)
    await expect(threads.runner().resume(threadId).result).rejects.toMatchObject({ code: 'E2117' })
  })

  test('an answer that can not be kept', async () => {
    const threads = new Threads()
    const any = flow('any', async () => interrupt('any?'))
    const { threadId } = await threads.start(any)
    const error = await refused({ threads, flow: any, threadId }, { answer: { f: () => 1 } })
    expect(error).toMatchObject({ name: 'SerializationError' })
    expect(error.message).toContain('.f')
  })

  test('one bad answer of a set refuses the set', async () => {
    const threads = new Threads()
    const { threadId } = await threads.start(pair)
    const at = { threads, flow: pair, threadId }
    expect(await refused(at, { answers: { left: 'L', 'node:right': 5 } })).toBeInstanceOf(
      InvalidAnswerError,
    )
    expect(await refused(at, { answers: { left: 'L', nobody: 'x' } })).toBeInstanceOf(
      UnknownInterruptError,
    )
  })
})

describe('what an approval takes', () => {
  test('B92 a no with a reason reaches the node and survives a restart', async () => {
    const threads = new Threads()
    const ask = flow('ask', async () => {
      const first = await interruptForApproval('ok?', { detail: true })
      await interruptForInput('noted?')
      return first
    })
    const paused = await threads.start(ask)
    const next = await threads.resume(ask, paused, {
      answer: { approved: false, reason: 'too dear', edited: { amount: 3 } },
    })
    const done = await threads.resume(ask, next, { answer: 'yes' })

    expect(done.output).toEqual({ approved: false, reason: 'too dear', edited: { amount: 3 } })
  })

  test('without detail an approval gives a boolean for both forms', async () => {
    for (const [answer, output] of [
      [true, true],
      [false, false],
      [{ approved: true, reason: 'fine' }, true],
      [{ approved: false }, false],
    ] as const) {
      const threads = new Threads()
      const ask = flow('ask', async () => interruptForApproval('ok?'))
      const paused = await threads.start(ask)
      expect((await threads.resume(ask, paused, { answer })).output).toBe(output)
    }
  })

  test('an approval may not default to yes', async () => {
    const ask = flow('ask', async () =>
      interruptForApproval('ok?', { timeout: '1h', default: true }),
    )
    expect((await new Threads().start(ask)).error).toMatchObject({ code: 'E2110' })
  })
})

describe('ways to name a question', () => {
  test('id, key, ordinal and address name the same question', async () => {
    for (const name of ['id', 'left', '#1', 'node:left', 'node:left/interrupt:left']) {
      const threads = new Threads()
      const paused = await threads.start(pair)
      const { id } = questionAsking(paused, 'left?')
      const half = await threads.resume(pair, paused, {
        answers: { [name === 'id' ? id : name]: 'L' },
      })
      expect(messages(half)).toEqual(['right?'])
    }
  })

  test('a name that fits two questions is ambiguous', async () => {
    const threads = new Threads()
    const both = flow('both', async () =>
      Promise.all([interruptForInput('a?'), interruptForInput('b?')]),
    )
    const { threadId } = await threads.start(both)
    const error = await refused(
      { threads, flow: both, threadId },
      { answers: { 'node:both': 'x' } },
    )
    expect(error).toBeInstanceOf(AmbiguousAnswerError)
  })
})

describe('a key that looks like an ordinal', () => {
  const pulls = flow('pulls', async () =>
    Promise.all(['#2', '#7', '#3'].map((key) => interruptForInput(`Merge ${key}?`, { key }))),
  )

  test('is ambiguous where it fits the key of one question and the ordinal of another', async () => {
    const threads = new Threads()
    const { threadId } = await threads.start(pulls)
    const error = await refused({ threads, flow: pulls, threadId }, { answers: { '#2': 'x' } })
    expect(error).toBeInstanceOf(AmbiguousAnswerError)
  })

  test('names its question where no other is open that has the ordinal', async () => {
    const threads = new Threads()
    const paused = await threads.start(pulls)
    const second = await threads.resume(pulls, paused, { answers: { '#7': 'x', '#3': 'y' } })
    expect(messages(second)).toEqual(['Merge #2?'])
    const last = await threads.resume(pulls, second, { answers: { '#2': 'z' } })
    expect(last.output).toEqual(['z', 'x', 'y'])
  })
})

describe('replaying', () => {
  test('another question where an answered one stood is a mismatch, and changes nothing', async () => {
    const threads = new Threads()
    let swapped = false
    const ask = flow('ask', async () => {
      const first = swapped ? await interruptForInput('b?') : await interruptForApproval('a?')
      return [first, await interruptForInput('then?')]
    })
    const first = await threads.start(ask)
    const second = await threads.resume(ask, first, { answer: true })
    swapped = true
    const error = await refused({ threads, flow: ask, threadId: second.threadId }, { answer: 'x' })
    expect(error).toMatchObject({ name: 'ReplayMismatchError' })
    expect(error.message).toMatch(/expected approval "a\?", got input "b\?"/u)
    swapped = false
    expect((await threads.resume(ask, second, { answer: 'x' })).output).toEqual([true, 'x'])
  })

  test('another step where one stood is a mismatch, and changes nothing', async () => {
    const threads = new Threads()
    let name = 'one'
    const ask = flow('ask', async () => {
      await step(name, () => name)
      return interruptForInput('ok?')
    })
    const paused = await threads.start(ask)
    name = 'two'
    const error = await refused({ threads, flow: ask, threadId: paused.threadId }, { answer: 'x' })
    expect(error).toMatchObject({ name: 'ReplayMismatchError' })
    expect(error.message).toMatch(/expected step "one", got step "two"/u)

    name = 'one'
    expect((await threads.resume(ask, paused, { answer: 'x' })).status).toBe('completed')
  })

  test('a task that ends before its question refuses the answer', async () => {
    const threads = new Threads()
    let skip = false
    const ask = flow('ask', async () => (skip ? 'skipped' : interruptForInput('ok?')))
    const paused = await threads.start(ask)
    skip = true
    const error = await refused({ threads, flow: ask, threadId: paused.threadId }, { answer: 'x' })
    expect(error).toMatchObject({ name: 'ReplayMismatchError' })
    expect(error.message).toContain('input "ok?"')
  })

  test('a task that fails before its question refuses the answer with its error', async () => {
    const threads = new Threads()
    let fail = false
    const ask = flow('ask', async () => {
      if (fail) throw new Error('db is away')
      return interruptForInput('ok?')
    })
    const paused = await threads.start(ask)
    fail = true
    await expect(threads.resume(ask, paused, { answer: 'x' })).rejects.toThrow('db is away')

    fail = false
    expect((await threads.resume(ask, paused, { answer: 'x' })).output).toBe('x')
  })
})
