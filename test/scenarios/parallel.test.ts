import { describe, expect, test } from 'vitest'

import {
  channel,
  END,
  graph,
  interruptForApproval,
  interruptForInput,
  type RunResult,
  Send,
  START,
  step,
  UpdateConflictError,
} from '../../src/index.ts'
import {
  eventsOf,
  Latch,
  messages,
  question,
  questionAsking,
  startedNodes,
  Threads,
} from '../support/threads.ts'

type Asking = Parameters<Threads['resume']>[0]

const list = (): ReturnType<typeof channel<string[]>> =>
  channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })

/** `slow` works while `ask` asks; both lead to `both`. */
function slowBesideAsk(ran: string[]) {
  return graph('slow beside ask', { state: { log: list(), seen: list() } })
    .node('slow', async () => {
      ran.push('slow')
      await new Promise((resolve) => setImmediate(resolve))
      return { log: ['slow'] }
    })
    .node('ask', async () => {
      ran.push('ask')
      return { log: [await interruptForInput('ok?')] }
    })
    .node('both', ({ log }) => {
      ran.push('both')
      return { seen: log }
    })
    .edge(START, 'slow')
    .edge(START, 'ask')
    .join('both', ['slow', 'ask'])
    .edge('both', END)
}

/** Three workers, one question each, and one node that reads what they found. */
const workers = (ran: string[] = []) =>
  graph('workers', { state: { items: [] as string[], found: list(), all: '' } })
    .node('plan', () => ({}))
    .node('work', async (item: string) => {
      ran.push(item)
      return { found: [`${item}=${await interruptForInput(`${item}?`)}`] }
    })
    .node('sum', ({ found }) => ({ all: found.join() }))
    .edge(START, 'plan')
    .branch('plan', ({ items }) => items.map((item) => new Send('work', item, { key: item })), [
      'work',
    ])
    .join('sum', ['work'])
    .edge('sum', END)

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  )
}

describe('work beside a question', () => {
  test('L21 a slow node beside a question runs once in all', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = slowBesideAsk(ran)
    const paused = await threads.start(flow)
    expect(paused.state).toEqual({ log: ['slow'], seen: [] })

    const again = await threads.resume(flow, paused)
    expect(again.interrupts).toEqual(paused.interrupts)
    const done = await threads.resume(flow, paused, { answer: 'yes' })
    expect(done.state).toEqual({ log: ['slow', 'yes'], seen: ['slow', 'yes'] })
    expect(ran).toEqual(['slow', 'ask', 'ask', 'both'])
  })

  // Our rule: what is finished is not told again.
  test('L23 a finished sibling does not start again', async () => {
    const threads = new Threads()
    const flow = slowBesideAsk([])
    const paused = await threads.start(flow)
    const events = await eventsOf(threads.resumeRun(flow, paused, { answer: 'yes' }))

    expect(startedNodes(events)).toEqual(['ask', 'both'])
  })

  test('L24 goto END keeps what a sibling wrote', async () => {
    const threads = new Threads()
    const flow = slowBesideAsk([])
    const paused = await threads.start(flow)
    const ended = await threads.resume(flow, paused, { goto: END })

    expect(ended).toMatchObject({ status: 'completed', interrupts: [], state: { log: ['slow'] } })
  })

  test('S59 a finished sibling reaches the join', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = slowBesideAsk(ran)
    const paused = await threads.start(flow)
    expect(ran).not.toContain('both')

    const done = await threads.resume(flow, paused, { answer: 'a' })
    expect(done.state['seen']).toEqual(['slow', 'a'])
    expect(ran.filter((name) => name === 'slow')).toHaveLength(1)
  })

  test('S60 a failure beside a question keeps the question', async () => {
    const threads = new Threads()
    let broken = true
    const flow = graph('ask and fail', { state: { a: '', b: '' } })
      .node('a', async () => ({ a: await interruptForInput('a?') }))
      .node('b', () => {
        if (broken) throw new Error('b broke')
        return { b: 'fine' }
      })
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const failed = await threads.start(flow)
    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('b broke')
    expect(messages(failed)).toEqual(['a?'])

    broken = false
    const answered = await threads.resume(flow, failed, { answer: 'A' }, { retryFailed: true })
    expect(answered).toMatchObject({ status: 'completed', state: { a: 'A', b: 'fine' } })
  })

  test('L27 only what failed runs again', async () => {
    const threads = new Threads()
    const calls = { ok: 0, failing: 0 }
    let broken = true
    const flow = graph('one fails', { state: { log: list() } })
      .node('ok', () => {
        calls.ok += 1
        return { log: ['ok'] }
      })
      .node(
        'failing',
        () => {
          calls.failing += 1
          if (broken) throw new Error(`try ${calls.failing}`)
          return { log: ['mended'] }
        },
        { retry: { attempts: 2, delay: 0 } },
      )
      .edge(START, 'ok')
      .edge(START, 'failing')
      .edge('ok', END)
      .edge('failing', END)
    const first = await threads.start(flow)
    expect(first.status).toBe('failed')
    expect(first.error?.message).toContain('try 2')
    const view = await threads.runner().get(first.threadId)
    expect(view).toMatchObject({ status: 'failed', next: ['failing'], state: { log: ['ok'] } })
    expect(view.tasks[0]?.error?.message).toContain('try 2')

    const second = await threads.resume(flow, first)
    expect(second.error?.message).toContain('try 4')
    broken = false
    const done = await threads.resume(flow, first)
    expect(done).toMatchObject({ status: 'completed', state: { log: ['ok', 'mended'] } })
    expect(calls).toEqual({ ok: 1, failing: 5 })
  })

  test('L29 a fan-out calls only the target that failed again', async () => {
    const threads = new Threads()
    const calls: string[] = []
    let broken = true
    const flow = graph('fan', { state: { out: list() } })
      .node('plan', () => ({}))
      .node('work', (item: string) => {
        calls.push(item)
        if (item === 'b' && broken) throw new Error('b broke')
        return { out: [item] }
      })
      .edge(START, 'plan')
      .branch('plan', () => ['a', 'b', 'c'].map((item) => new Send('work', item)), ['work'])
      .edge('work', END)
    const failed = await threads.start(flow)
    expect(failed.state['out']).toEqual(['a', 'c'])

    broken = false
    const done = await threads.resume(flow, failed)
    expect(done.state['out']).toEqual(['a', 'b', 'c'])
    expect(calls).toEqual(['a', 'b', 'c', 'b'])
  })

  test('L31 sends and names of two branches run in the order of their tasks', async () => {
    const order: string[] = []
    const flow = graph('mixed', { state: { log: list() } })
      .node('a', () => ({}))
      .node('b', () => ({}))
      .node('x', (input: unknown) => {
        order.push(typeof input === 'string' ? input : 'x')
        return { log: [typeof input === 'string' ? input : 'x'] }
      })
      .node('y', () => {
        order.push('y')
        return { log: ['y'] }
      })
      .edge(START, 'a')
      .edge(START, 'b')
      .branch('a', () => [new Send('x', 'a1'), 'y', new Send('x', 'a2')], ['x', 'y'])
      .branch('b', () => ['x', new Send('x', 'b1'), 'y'], ['x', 'y'])
      .edge('x', END)
      .edge('y', END)
    const done = await new Threads().start(flow)

    expect(done.state['log']).toEqual(['x', 'a1', 'a2', 'b1', 'y'])
    expect(order).toHaveLength(5)
  })

  test('L32 two writers of a plain key are an error that names both', async () => {
    const threads = new Threads()
    const flow = graph('clash', { state: { value: 0, log: list() } })
      .node('left', () => ({ value: 1, log: ['l'] }))
      .node('right', () => ({ value: 2, log: ['r'] }))
      .edge(START, 'left')
      .edge(START, 'right')
      .edge('left', END)
      .edge('right', END)
    const failed = await threads.start(flow)

    expect(failed.status).toBe('failed')
    expect(failed.error).toBeInstanceOf(UpdateConflictError)
    expect(failed.error?.message).toMatch(/"value".*left and right/u)
    expect(failed.state).toEqual({ value: 0, log: [] })
  })

  test('O22 a thread with a write conflict can be read and goes on when the flow is mended', async () => {
    const threads = new Threads()
    const build = (state: Record<string, unknown>) =>
      graph('clash', { state })
        .node('left', () => ({ value: 1 }))
        .node('right', () => ({ value: 2 }))
        .edge(START, 'left')
        .edge(START, 'right')
        .edge('left', END)
        .edge('right', END)
    const failed = await threads.start(build({ value: 0 }))
    const view = await threads.runner().get(failed.threadId)
    expect(view.error?.message).toMatch(/"value".*left and right/u)
    expect(view.next).toEqual(['left', 'right'])

    const add = channel<number>({ initial: 0, reduce: (a, b) => a + b })
    const done = await threads.resume(build({ value: add }), failed)
    expect(done).toMatchObject({ status: 'completed', state: { value: 3 } })
  })

  // Our rule: the other running tasks are awaited, not stopped; what they did is kept.
  test('L33 a failure waits for its siblings and is reported', async () => {
    const threads = new Threads()
    const latch = new Latch()
    const flow = graph('fail and wait', { state: { log: list() } })
      .node('fails', () => {
        latch.open()
        throw new Error('first')
      })
      .node('waits', async () => {
        await latch.wait()
        return { log: ['waited'] }
      })
      .edge(START, 'fails')
      .edge(START, 'waits')
      .edge('fails', END)
      .edge('waits', END)
    const failed = await threads.start(flow)

    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('first')
    expect(failed.state['log']).toEqual(['waited'])
  })

  test('L33 a sibling that waits for its signal is told to stop, and runs again at the retry', async () => {
    const threads = new Threads()
    let works = false
    const flow = graph('told to stop', { state: { log: list() } })
      .node('fails', () => {
        if (!works) throw new Error('first')
        return { log: ['mended'] }
      })
      .node('listens', async (_state, { signal }) => {
        if (works) return { log: ['listened'] }
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('told')), { once: true })
        })
      })
      .edge(START, 'fails')
      .edge(START, 'listens')
      .edge('fails', END)
      .edge('listens', END)

    const failed = await threads.start(flow)

    expect(failed.status).toBe('failed')
    expect(failed.error?.message).toContain('first')
    works = true
    expect((await threads.resume(flow, failed.threadId)).state['log']).toEqual([
      'mended',
      'listened',
    ])
  })

  // Our rule: a reader who leaves stops nothing.
  test('L35 a run whose reader leaves goes on to its end', async () => {
    const threads = new Threads()
    const flow = graph('chain', { state: { log: list() } })
      .node('a', () => ({ log: ['a'] }))
      .node('b', () => ({ log: ['b'] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const run = threads.run(flow)
    for await (const event of run) if (event.type === 'node:end') break

    expect((await run.result).state).toEqual({ log: ['a', 'b'] })
    expect(await eventsOf(run)).toEqual([])
  })

  test('L36 an error handler in a node does not swallow its question', async () => {
    const threads = new Threads()
    const flow = graph('handled', { state: { log: list() } })
      .node('ask', async () => {
        try {
          return { log: [await interruptForInput('ok?')] }
        } catch {
          return { log: ['handled'] }
        }
      })
      .node('beside', () => ({ log: ['beside'] }))
      .edge(START, 'ask')
      .edge(START, 'beside')
      .edge('ask', END)
      .edge('beside', END)
    const paused = await threads.start(flow)
    expect(paused.state['log']).toEqual(['beside'])

    const done = await threads.resume(flow, paused, { answer: 'yes' })
    expect(done.state['log']).toEqual(['yes', 'beside'])
  })
})

describe('many questions', () => {
  test('B19 parallel questions have distinct ids that survive restarts', async () => {
    const threads = new Threads()
    const flow = graph('five', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('pair', async () => ({
        log: await Promise.all([interruptForInput('p1?'), interruptForInput('p2?')]),
      }))
      .node('work', async (item: string) => ({ log: [await interruptForInput(`${item}?`)] }))
      .edge(START, 'plan')
      .branch('plan', () => ['pair', ...['x', 'y', 'z'].map((item) => new Send('work', item))], [
        'pair',
        'work',
      ])
      .edge('pair', END)
      .edge('work', END)
    const paused = await threads.start(flow)
    const ids = paused.interrupts.map(({ id }) => id)
    expect(new Set(ids).size).toBe(5)

    const again = await threads.resume(flow, paused)
    expect(again.interrupts).toEqual(paused.interrupts)
    const half = await threads.resume(flow, paused, {
      answers: { [questionAsking(paused, 'p1?').id]: '1', [questionAsking(paused, 'y?').id]: 'Y' },
    })
    expect(half.interrupts).toEqual(
      paused.interrupts.filter(({ message }) => !['p1?', 'y?'].includes(message)),
    )
  })

  test('B20 a double submit is refused and the next question stays', async () => {
    const threads = new Threads()
    const flow = graph('twice', { state: { log: list() } })
      .node('ask', async () => ({
        log: [
          String(await interruptForApproval('first?')),
          String(await interruptForApproval('second?')),
        ],
      }))
      .edge(START, 'ask')
      .edge('ask', END)
    const first = await threads.start(flow)
    const answers = { [question(first).id]: true }
    const second = await threads.resume(flow, first, { answers })
    const refused = threads.resume(flow, first, { answers })

    await expect(refused).rejects.toMatchObject({ name: 'AlreadyAnsweredError' })
    const view = await threads.runner().get(first.threadId)
    expect(view.version).toBe(second.version)
    expect(messages(view)).toEqual(['second?'])
    const done = await threads.resume(flow, first, { answer: false })
    expect(done.state['log']).toEqual(['true', 'false'])
    // Ruling: a known answered id is told as answered even when the thread is closed.
    await expect(threads.resume(flow, first, { answers })).rejects.toMatchObject({
      name: 'AlreadyAnsweredError',
    })
  })

  test('B22 three branches give the same state in every order of answers', async () => {
    const results: RunResult[] = []
    for (const order of permutations(['a', 'b', 'c'])) {
      const threads = new Threads()
      const effects: string[] = []
      const branch = (name: string) => async () => {
        await step('effect', () => effects.push(name))
        return { log: [`${name}:${await interruptForInput(`${name}?`)}`] }
      }
      const flow = graph('three', { state: { log: list(), sum: '' } })
        .node('a', branch('a'))
        .node('b', branch('b'))
        .node('c', branch('c'))
        .node('sum', ({ log }) => ({ sum: log.join() }))
        .edge(START, 'a')
        .edge(START, 'b')
        .edge(START, 'c')
        .join('sum', ['a', 'b', 'c'])
        .edge('sum', END)
      let left = await threads.start(flow)
      for (const name of order)
        left = await threads.resume(flow, left, {
          answers: { [questionAsking(left, `${name}?`).id]: name.toUpperCase() },
        })
      expect(effects.toSorted()).toEqual(['a', 'b', 'c'])
      results.push(left)
    }

    for (const { status, state } of results) {
      expect(status).toBe('completed')
      expect(state).toEqual({ log: ['a:A', 'b:B', 'c:C'], sum: 'a:A,b:B,c:C' })
    }
    expect(results).toHaveLength(6)
  })

  test('B23 an answer to one item of a fan-out leaves the others asking', async () => {
    const threads = new Threads()
    const flow = workers()
    const paused = await threads.start(flow, { items: ['alpha', 'beta', 'gamma'] })
    const half = await threads.resume(flow, paused, {
      answers: { [questionAsking(paused, 'beta?').id]: 'B' },
    })
    expect(messages(half)).toEqual(['alpha?', 'gamma?'])
    await expect(threads.resume(flow, paused, { answer: 'X' })).rejects.toMatchObject({
      name: 'AmbiguousAnswerError',
    })

    const done = await threads.resume(flow, paused, {
      answers: Object.fromEntries(half.interrupts.map(({ id, message }) => [id, `to ${message}`])),
    })
    expect(done.state['all']).toBe('alpha=to alpha?,beta=B,gamma=to gamma?')
  })

  test('B25 five answers at once are all consumed under a limit of one', async () => {
    const threads = new Threads()
    let most = 0
    let inside = 0
    const flow = graph('limited', { state: { out: list() }, maxConcurrency: 1 })
      .node('plan', () => ({}))
      .node('work', async (item: number) => {
        inside += 1
        most = Math.max(most, inside)
        await step('look', () => new Promise((resolve) => setImmediate(resolve)))
        inside -= 1
        return { out: [await interruptForInput(`${item}?`)] }
      })
      .edge(START, 'plan')
      .branch('plan', () => [1, 2, 3, 4, 5].map((item) => new Send('work', item)), ['work'])
      .edge('work', END)
    const paused = await threads.start(flow)
    expect(messages(paused)).toEqual(['1?', '2?', '3?', '4?', '5?'])
    expect(most).toBe(1)

    const done = await threads.resume(flow, paused, {
      answers: Object.fromEntries(paused.interrupts.map(({ id, message }) => [id, message])),
    })
    expect(done).toMatchObject({ status: 'completed', interrupts: [] })
    expect(done.state['out']).toEqual(['1?', '2?', '3?', '4?', '5?'])
  })

  test('B26 an answer for a later branch alone is taken', async () => {
    const threads = new Threads()
    const flow = workers()
    const paused = await threads.start(flow, { items: ['a', 'b'] })
    const half = await threads.resume(flow, paused, {
      answers: { [questionAsking(paused, 'b?').id]: 'B' },
    })

    expect(messages(half)).toEqual(['a?'])
    expect(half.state['found']).toEqual(['b=B'])
  })

  test('B28 an answered question is not listed again', async () => {
    const threads = new Threads()
    const flow = graph('two and plain', { state: { log: list() } })
      .node('ask', async () => ({
        log: [await interruptForInput('one?'), await interruptForInput('two?')],
      }))
      .node('plain', () => ({ log: ['plain'] }))
      .edge(START, 'ask')
      .edge(START, 'plain')
      .edge('ask', END)
      .edge('plain', END)
    const first = await threads.start(flow)
    const run = threads.resumeRun(flow, first, { answer: '1' })
    const events = await eventsOf(run)

    expect(
      events.flatMap((event) => (event.type === 'interrupt:open' ? [event.interrupt.message] : [])),
    ).toEqual(['two?'])
    expect(messages(await run.result)).toEqual(['two?'])
    expect(messages(await threads.runner().get(first.threadId))).toEqual(['two?'])
  })

  test('B32 goto closes the open question and never gives it the answer of another', async () => {
    const threads = new Threads()
    const flow = graph('jump', { state: { log: list() } })
      .node('a', async () => ({ log: [`a:${await interruptForInput('a?')}`] }))
      .node('b', async () => ({ log: [`b:${await interruptForInput('b?')}`] }))
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const paused = await threads.start(flow)
    const jumped = await threads.resume(flow, paused, { goto: 'b' })
    expect(messages(jumped)).toEqual(['b?'])

    await expect(
      threads.resume(flow, paused, { answers: { [question(paused).id]: 'late' } }),
    ).rejects.toMatchObject({ name: 'UnknownInterruptError' })
    const done = await threads.resume(flow, paused, { answer: 'B' })
    expect(done.state['log']).toEqual(['b:B'])
  })

  test.each([
    [
      'together',
      async (threads: Threads, flow: Asking, paused: RunResult, id: string) =>
        threads.resume(flow, paused, { answers: { [id]: 'yes' }, goto: 'c' }),
    ],
    [
      'the answer first',
      async (threads: Threads, flow: Asking, paused: RunResult, id: string) => {
        const answered = await threads.resume(flow, paused, { answers: { [id]: 'yes' } })
        return threads.resume(flow, answered, { goto: 'c' })
      },
    ],
    [
      'stored before',
      async (threads: Threads, flow: Asking, paused: RunResult, id: string) => {
        await threads.runner().answer(paused.threadId, { answers: { [id]: 'yes' } })
        return threads.resume(flow, paused, { goto: 'c' })
      },
    ],
  ])(
    'a jump to the node of a join runs it once, whoever delivers to it afterwards: %s',
    async (_name, jump) => {
      const threads = new Threads()
      let ran = 0
      const flow = graph('jump', { state: { a: '', b: '' } })
        .node('a', async () => ({ a: await interruptForInput('a?') }))
        .node('b', async () => ({ b: await interruptForInput('b?') }))
        .node('c', () => void (ran += 1))
        .edge(START, 'a')
        .edge(START, 'b')
        .join('c', ['a', 'b'])
        .edge('c', END)
      const paused = await threads.start(flow)
      const done = await jump(threads, flow, paused, paused.interrupts[0]?.id ?? '')
      expect(done).toMatchObject({ status: 'completed', state: { a: 'yes' } })
      expect(ran).toBe(1)
    },
  )

  test('B35 a no among yeses reaches only its own node', async () => {
    const threads = new Threads()
    const flow = graph('batch', { state: { done: list() } })
      .node('plan', () => ({}))
      .node('run', async (item: string) => ({
        done: (await interruptForApproval(`run ${item}?`)) ? [item] : [`not ${item}`],
      }))
      .edge(START, 'plan')
      .branch('plan', () => ['1', '2', '3'].map((item) => new Send('run', item)), ['run'])
      .edge('run', END)
    const paused = await threads.start(flow)
    const [one, two, three] = paused.interrupts.map(({ id }) => id)
    const done = await threads.resume(flow, paused, {
      answers: { [`${one}`]: true, [`${two}`]: false, [`${three}`]: { approved: true } },
    })

    expect(done.state['done']).toEqual(['1', 'not 2', '3'])
  })

  test('O04 questions of one Promise.all are all open and keep their answers', async () => {
    const threads = new Threads()
    const flow = graph('all', { state: { log: list() } })
      .node('ask', async () => ({
        log: await Promise.all(['a', 'b', 'c'].map((name) => interruptForInput(`${name}?`))),
      }))
      .edge(START, 'ask')
      .edge('ask', END)
    const paused = await threads.start(flow)
    expect(messages(paused)).toEqual(['a?', 'b?', 'c?'])

    let left = paused
    for (const name of ['c', 'a', 'b'])
      left = await threads.resume(flow, left, {
        answers: { [questionAsking(left, `${name}?`).id]: name.toUpperCase() },
      })
    expect(left.state['log']).toEqual(['A', 'B', 'C'])
  })

  test('O05 unanswered siblings do not run again', async () => {
    const threads = new Threads()
    const ran: string[] = []
    const flow = workers(ran)
    let left = await threads.start(flow, { items: ['a', 'b', 'c'] })
    for (const name of ['a', 'b', 'c'])
      left = await threads.resume(flow, left, {
        answers: { [questionAsking(left, `${name}?`).id]: '!' },
      })

    expect(left.status).toBe('completed')
    for (const name of ['a', 'b', 'c']) expect(ran.filter((item) => item === name)).toHaveLength(2)
  })

  test('O25 five hundred workers ask and are answered at once', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', listen)
    const threads = new Threads()
    const flow = workers()
    const items = Array.from({ length: 500 }, (_, index) => `w${index}`)
    const paused = await threads.start(flow, { items })
    expect(paused.interrupts).toHaveLength(500)
    expect(new Set(paused.interrupts.map(({ id }) => id)).size).toBe(500)

    const done = await threads.resume(flow, paused, {
      answers: Object.fromEntries(paused.interrupts.map(({ id, message }) => [id, message])),
    })
    expect(done.status).toBe('completed')
    expect(done.state['found']).toEqual(items.map((item) => `${item}=${item}?`))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })

  test('B44 a fan-out task keeps its input over a restart', async () => {
    const threads = new Threads()
    const seen: unknown[] = []
    const inputs = [undefined, null, 0, { deep: [1, new Date(5)] }]
    const flow = graph('inputs', { state: { log: list() } })
      .node('plan', () => ({}))
      .node('work', async (input: unknown) => {
        seen.push(input)
        return { log: [await interruptForInput(`${seen.length}?`)] }
      })
      .edge(START, 'plan')
      .branch('plan', () => inputs.map((input) => new Send('work', input)), ['work'])
      .edge('work', END)
    const paused = await threads.start(flow)
    expect(seen.splice(0)).toEqual(inputs)
    const done = await threads.resume(flow, paused, {
      answers: Object.fromEntries(paused.interrupts.map(({ id }) => [id, 'x'])),
    })

    expect(seen.slice(0, 4)).toEqual(inputs)
    expect(done.status === 'completed' || done.interrupts.length > 0).toBe(true)
  })

  test('S51 a null input is null again after a pause', async () => {
    const threads = new Threads()
    const seen: unknown[] = []
    const flow = graph('null', { state: { answer: '' } })
      .node('plan', () => ({}))
      .node('work', async (input: null) => {
        seen.push(input)
        return { answer: await interruptForInput('go?') }
      })
      .edge(START, 'plan')
      .branch('plan', () => new Send('work', null), ['work'])
      .edge('work', END)
    const paused = await threads.start(flow)
    await threads.resume(flow, paused, { answer: 'x' })

    expect(seen).toEqual([null, null])
  })
})
