import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  appendAddressSegment,
  compositeInterrupt,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interrupt,
  interruptSignal,
  InvalidAnswerError,
  segment,
  START,
  statefulInterrupt,
  step,
  type RunResult,
} from '../../src/index.ts'
import { eventsOf, messages, question, questionAsking, Threads } from '../support/threads.ts'

/** A child component that asks once, and says what it was given. */
async function child(id: string, log: string[] = []): Promise<string> {
  return appendAddressSegment('process', id, undefined, async () => {
    const { wasInterrupted, state } = getInterruptState<{ runs: number }>()
    const { isResumeTarget, hasData, data } = getResumeContext<string>()
    log.push(`${id} ${wasInterrupted ? 'again' : 'fresh'} ${isResumeTarget ? 'target' : '-'}`)
    const runs = (state?.runs ?? 0) + 1
    if (!isResumeTarget) throw statefulInterrupt(`${id}?`, { runs })
    return hasData ? `${id} done with ${data}` : `${id} done`
  })
}

/** A node that runs children and keeps the results of those that are finished. */
function batchOf(ids: readonly string[], log: string[] = []) {
  return graph('batch', { state: { results: {} as Record<string, string> } })
    .node('batch', async () => {
      const { state } = getInterruptState<{ results: Record<string, string> }>()
      const results = state?.results ?? {}
      const errors: unknown[] = []
      for (const id of ids) {
        if (id in results) continue
        try {
          results[id] = await child(id, log)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw compositeInterrupt('batch', { results }, errors)
      return { results }
    })
    .edge(START, 'batch')
    .edge('batch', END)
}

function ids(result: RunResult): Record<string, string> {
  return Object.fromEntries(result.interrupts.map(({ message, id }) => [message, id]))
}

describe('a component in a flow', () => {
  test('asks a question like any other', async () => {
    const threads = new Threads()
    const review = flow('review', () => {
      const { isResumeTarget, data } = getResumeContext<boolean>()
      if (!isResumeTarget) throw interruptSignal({ message: 'Publish?', draft: 'v1' })
      return data === true ? 'published' : 'dropped'
    })
    const paused = await threads.start(review)

    expect(paused.status).toBe('suspended')
    expect(question(paused)).toMatchObject({
      kind: 'custom',
      message: 'Publish?',
      payload: { message: 'Publish?', draft: 'v1' },
      address: [{ type: 'node', id: 'review' }],
    })
    const view = await threads.runner().get(paused.threadId)
    expect(view.interrupts).toEqual(paused.interrupts)

    const done = await threads.resume(review, paused, { answer: true })
    expect(done).toMatchObject({ status: 'completed', output: 'published' })
    const closed = await threads.runner().get(paused.threadId)
    expect(closed.answered).toMatchObject([{ status: 'consumed', value: true }])
  })

  test('S37 gets its state and the data, whatever its input', async () => {
    const threads = new Threads()
    const root = graph('root', { state: { text: '' } })
      .node('lambda', ({ text }) => {
        const { wasInterrupted, state } = getInterruptState<{ input: string }>()
        if (!wasInterrupted) throw statefulInterrupt({ reason: 'why' }, { input: text })
        return { text: `${state?.input ?? ''} and ${getResumeContext(String).data ?? ''}` }
      })
      .edge(START, 'lambda')
      .edge('lambda', END)
    const paused = await threads.start(root, { text: 'initial input' })
    const done = await threads.resume(root, paused, {
      answers: { [question(paused).id]: 'the data' },
    })

    expect(question(paused)).toMatchObject({
      payload: { reason: 'why' },
      address: [{ type: 'node', id: 'lambda' }],
    })
    expect(done.state).toEqual({ text: 'initial input and the data' })
  })

  test('S40 a composite opens one question for each child and keeps what is finished', async () => {
    const threads = new Threads()
    const log: string[] = []
    const batch = batchOf(['p0', 'p1', 'p2'], log)
    const first = await threads.start(batch)

    expect(messages(first)).toEqual(['p0?', 'p1?', 'p2?'])
    expect(first.interrupts.map(({ address }) => address)).toEqual(
      ['p0', 'p1', 'p2'].map((id) => [segment('node', 'batch'), segment('process', id)]),
    )

    log.length = 0
    const opened = ids(first)
    const second = await threads.resume(batch, first, {
      answers: { [opened['p0?'] ?? '']: 'do it', [opened['p2?'] ?? '']: undefined },
    })
    expect(log).toEqual(['p0 again target', 'p1 again -', 'p2 again target'])
    expect(ids(second)).toEqual({ 'p1?': opened['p1?'] })

    log.length = 0
    const done = await threads.resume(batch, second, { answer: 'at last' })
    expect(log).toEqual(['p1 again target'])
    expect(done.state).toEqual({
      results: { p0: 'p0 done with do it', p1: 'p1 done with at last', p2: 'p2 done' },
    })
    const view = await threads.runner().get(done.threadId)
    expect(view.answered.map(({ status }) => status)).toEqual(['consumed', 'consumed', 'consumed'])
  })

  test('S40 gives the same results whatever the order and the grouping', async () => {
    const orders = [[['p0'], ['p1'], ['p2']], [['p2'], ['p0', 'p1']], [['p1', 'p2', 'p0']]]
    const results = await Promise.all(
      orders.map(async (groups) => {
        const threads = new Threads()
        const batch = batchOf(['p0', 'p1', 'p2'])
        let result = await threads.start(batch)
        const opened = ids(result)
        for (const group of groups) {
          const answers = Object.fromEntries(group.map((id) => [opened[`${id}?`] ?? '', id]))
          result = await threads.resume(batch, result, { answers })
        }
        return result.state
      }),
    )

    const done = { p0: 'p0 done with p0', p1: 'p1 done with p1', p2: 'p2 done with p2' }
    expect(results).toEqual([{ results: done }, { results: done }, { results: done }])
  })

  test('that is not a target and keeps a count goes on counting', async () => {
    const threads = new Threads()
    const counts: number[] = []
    const tools = graph('tools', { state: {} })
      .node('call', async () => {
        const children = ['a', 'b'].map((id) =>
          appendAddressSegment('tool', id, undefined, async () => {
            const { state } = getInterruptState<number>()
            if (getResumeContext().isResumeTarget) return
            if (id === 'b') counts.push((state ?? 0) + 1)
            throw statefulInterrupt(`${id}?`, (state ?? 0) + 1)
          }),
        )
        const errors = (await Promise.allSettled(children)).flatMap((settled) =>
          settled.status === 'rejected' ? [settled.reason as unknown] : [],
        )
        if (errors.length > 0) throw compositeInterrupt('tools', undefined, errors)
      })
      .edge(START, 'call')
      .edge('call', END)
    const paused = await threads.start(tools)
    const second = await threads.resume(tools, paused, {
      answers: { [questionAsking(paused, 'a?').id]: 1 },
    })
    expect(counts).toEqual([1, 2])
    expect(question(second).id).toBe(questionAsking(paused, 'b?').id)

    expect((await threads.resume(tools, second, { answer: 2 })).status).toBe('completed')
  })

  test('without state of its own gets its answer again at every entry', async () => {
    const threads = new Threads()
    const asked: string[] = []
    const pair = flow('pair', async () => {
      const one = await ask('one')
      const two = await ask('two')
      return [one, two]
    })
    async function ask(id: string): Promise<unknown> {
      return appendAddressSegment('ask', id, undefined, async () => {
        const { isResumeTarget, data } = getResumeContext()
        if (isResumeTarget) return data
        asked.push(id)
        throw interruptSignal(`${id}?`)
      })
    }
    const first = await threads.start(pair)
    const second = await threads.resume(pair, first, { answer: 1 })
    const done = await threads.resume(pair, second, { answer: 2 })

    expect([messages(first), messages(second)]).toEqual([['one?'], ['two?']])
    expect(done.output).toEqual([1, 2])
    expect(asked).toEqual(['one', 'two'])
  })

  test('may ask again at the same place, with a new id', async () => {
    const threads = new Threads()
    const wizard = flow('wizard', () => {
      const { state } = getInterruptState<string[]>()
      const { isResumeTarget, data } = getResumeContext<string>()
      const given = isResumeTarget ? [...(state ?? []), data ?? ''] : []
      if (given.length < 3) throw statefulInterrupt(`field ${given.length + 1}?`, given)
      return given
    })
    const seen = new Set<string>()
    let result = await threads.start(wizard)
    for (const value of ['a', 'b', 'c']) {
      seen.add(question(result).id)
      result = await threads.resume(wizard, result, { answer: value })
    }

    expect(result.output).toEqual(['a', 'b', 'c'])
    expect(seen.size).toBe(3)
  })

  test('starts clean when its node is visited again', async () => {
    const threads = new Threads()
    const seen: boolean[] = []
    const twice = graph('twice', { state: { rounds: 0 } })
      .node('ask', ({ rounds }) => {
        const { wasInterrupted } = getInterruptState()
        const { isResumeTarget } = getResumeContext()
        seen.push(wasInterrupted)
        if (!isResumeTarget) throw statefulInterrupt(`round ${rounds}?`, rounds)
        return { rounds: rounds + 1 }
      })
      .edge(START, 'ask')
      .branch('ask', ({ rounds }) => (rounds < 2 ? 'ask' : END), ['ask', END])
    const first = await threads.start(twice)
    const second = await threads.resume(twice, first, { answer: true })
    const done = await threads.resume(twice, second, { answer: true })

    expect(seen).toEqual([false, true, false, true])
    expect([messages(first), messages(second)]).toEqual([['round 0?'], ['round 1?']])
    expect(done.status).toBe('completed')
  })

  test('that keeps state finds a later round of its child', async () => {
    const threads = new Threads()
    const log: string[] = []
    const loop = flow('loop', async () => {
      let at = getInterruptState<number>().state ?? 0
      for (; at < 3; at += 1) {
        try {
          appendAddressSegment('agent', 'sa', undefined, () => {
            const { isResumeTarget, data } = getResumeContext<string>()
            if (isResumeTarget) log.push(`${at} got ${data}`)
            else if (at > 0) throw interruptSignal(`round ${at}?`)
          })
        } catch (error) {
          throw compositeInterrupt('loop', at, [error])
        }
      }
      return log
    })
    const first = await threads.start(loop)
    const second = await threads.resume(loop, first, { answer: 'one' })
    const done = await threads.resume(loop, second, { answer: 'two' })

    expect([messages(first), messages(second)]).toEqual([['round 1?'], ['round 2?']])
    expect(done.output).toEqual(['1 got one', '2 got two'])
  })

  test('S44 hands each of several signals of one place its own answer', async () => {
    const threads = new Threads()
    const legacy = flow('legacy', async () => {
      const given: unknown[] = getInterruptState<unknown[]>().state ?? [null, null, null]
      const errors: unknown[] = []
      for (const index of [0, 1, 2]) {
        await appendAddressSegment('custom', String(index + 1), undefined, async () => {
          const { isResumeTarget, data } = getResumeContext()
          if (isResumeTarget) given[index] = data
          if (given[index] === null) errors.push(interruptSignal(`part ${index + 1}?`))
        })
      }
      if (errors.length > 0) throw compositeInterrupt('parts', given, errors)
      return given.join('')
    })
    const paused = await threads.start(legacy)
    const opened = ids(paused)
    const some = await threads.resume(legacy, paused, {
      answers: { [opened['part 2?'] ?? '']: 'b' },
    })
    expect(ids(some)).toEqual({ 'part 1?': opened['part 1?'], 'part 3?': opened['part 3?'] })
    const done = await threads.resume(legacy, some, {
      answers: { [opened['part 1?'] ?? '']: 'a', [opened['part 3?'] ?? '']: 'c' },
    })

    expect(done.output).toBe('abc')
  })

  test('S42 around another graph keeps its own state while the inner one asks', async () => {
    const threads = new Threads()
    const inner = graph('inner', { state: { said: '' } })
      .node('inner_lambda', () => {
        const { state } = getInterruptState<string>()
        const { isResumeTarget, data } = getResumeContext<string>()
        if (!isResumeTarget) throw statefulInterrupt('inner?', 'inner state')
        return { said: `${state}: ${data}` }
      })
      .edge(START, 'inner_lambda')
      .edge('inner_lambda', END)
    const told: unknown[] = []
    const outer = flow('outer', async () => {
      told.push([getInterruptState().state, getResumeContext().isResumeTarget])
      try {
        return await inner.invoke()
      } catch (error) {
        throw compositeInterrupt('outer info', 'outer state', [error])
      }
    })
    const paused = await threads.start(outer)
    expect(question(paused).address).toEqual([
      segment('node', 'outer'),
      segment('runnable', 'inner'),
      segment('node', 'inner_lambda'),
    ])
    const done = await threads.resume(outer, paused, {
      answers: { [question(paused).id]: 'the data' },
    })

    expect(done.output).toEqual({ said: 'inner state: the data' })
    expect(told).toEqual([
      [undefined, false],
      ['outer state', true],
    ])
  })

  test('is answered in place by a handler', async () => {
    const threads = new Threads()
    const log: string[] = []
    const done = await threads.start(batchOf(['p0', 'p1'], log), undefined, {
      onInterrupt: (open) => Object.fromEntries(open.map(({ id, message }) => [id, message])),
    })

    expect(done.state).toEqual({
      results: { p0: 'p0 done with p0?', p1: 'p1 done with p1?' },
    })
    expect(log).toEqual(['p0 fresh -', 'p1 fresh -', 'p0 again target', 'p1 again target'])
  })

  test('may be asked beside a call that waits in the same node', async () => {
    const threads = new Threads()
    const both = flow('both', async () => {
      const children = await Promise.allSettled([child('p0'), interrupt<string>('call?')])
      const errors = children.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      if (errors.length > 0) throw compositeInterrupt('both', undefined, errors)
      return children.map((one) => (one.status === 'fulfilled' ? one.value : ''))
    })
    const paused = await threads.start(both)
    expect(messages(paused).toSorted()).toEqual(['call?', 'p0?'])

    const opened = ids(paused)
    const half = await threads.resume(both, paused, { answers: { [opened['p0?'] ?? '']: 'x' } })
    expect(messages(half)).toEqual(['call?'])
    const done = await threads.resume(both, half, { answers: { [opened['call?'] ?? '']: 'y' } })
    expect(done.output).toEqual(['p0 done with x', 'y'])

    const again = await threads.start(both)
    const together = ids(again)
    const all = await threads.resume(both, again, {
      answers: { [together['p0?'] ?? '']: 'x', [together['call?'] ?? '']: 'y' },
    })
    expect(all.output).toEqual(['p0 done with x', 'y'])
  })

  test('that swallows a child stays suspended, and says so', async () => {
    const threads = new Threads()
    const careless = flow('careless', async () => {
      try {
        return await child('p0')
      } catch {
        return 'done without asking'
      }
    })
    const run = threads.run(careless)
    const [paused, events] = await Promise.all([run.result, eventsOf(run)])

    expect(paused.status).toBe('suspended')
    expect(messages(paused)).toEqual(['p0?'])
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'warning',
        code: 'E2109',
        message: expect.stringContaining('careless') as string,
      }),
    )
    expect((await threads.resume(careless, paused, { answer: 'x' })).output).toBe('p0 done with x')
  })

  test('speaks for its children when it asks itself', async () => {
    const threads = new Threads()
    const translator = flow('translator', async () => {
      const { isResumeTarget, data } = getResumeContext()
      if (isResumeTarget) return data
      try {
        return await child('p0')
      } catch {
        throw interruptSignal('in other words?')
      }
    })
    const paused = await threads.start(translator)

    expect(messages(paused)).toEqual(['in other words?'])
    expect((await threads.resume(translator, paused, { answer: 1 })).output).toBe(1)
  })

  test('two children side by side ask both, without a composite', async () => {
    const threads = new Threads()
    const side = flow('side', () => Promise.all([child('p0'), child('p1')]))
    const paused = await threads.start(side)
    expect(messages(paused)).toEqual(['p0?', 'p1?'])

    const half = await threads.resume(side, paused, {
      answers: { [ids(paused)['p1?'] ?? '']: 'b' },
    })
    expect(ids(half)).toEqual({ 'p0?': ids(paused)['p0?'] })
    const done = await threads.resume(side, half, { answer: 'a' })
    expect(done.output).toEqual(['p0 done with a', 'p1 done with b'])
  })

  test('closes what it no longer asks', async () => {
    const threads = new Threads()
    const race = flow('race', async () => {
      const children = await Promise.allSettled([child('p0'), child('p1')])
      const won = children.find((one) => one.status === 'fulfilled')
      if (won !== undefined) return won.value
      throw compositeInterrupt(
        'race',
        undefined,
        children.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
      )
    })
    const paused = await threads.start(race)
    const still = await threads.resume(race, paused, { answers: { [ids(paused)['p1?'] ?? '']: 1 } })

    // The other child asked again and nobody passed it on: that is a question swallowed, not one withdrawn.
    expect(messages(still)).toEqual(['p0?'])
    expect((await threads.resume(race, still, { answer: 2 })).status).toBe('completed')
  })

  test('S60 S81 fails with the error of one child and keeps the question of the other', async () => {
    const threads = new Threads()
    let broken = true
    const log: string[] = []
    const mixed = flow('mixed', async () => {
      const kept = getInterruptState<string[]>().state ?? []
      const children = await Promise.allSettled([
        child('p0', log),
        appendAddressSegment('process', 'p1', undefined, async () => {
          if (broken) throw new Error('disk full')
          return 'p1 done'
        }),
      ])
      const errors = children.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      if (errors.length > 0) throw compositeInterrupt('mixed', ['kept'], errors)
      return [...kept, ...children.map((one) => (one.status === 'fulfilled' ? one.value : ''))]
    })
    const failed = await threads.start(mixed)
    expect(failed).toMatchObject({ status: 'failed' })
    expect(failed.error?.message).toContain('disk full')
    expect(messages(failed)).toEqual(['p0?'])

    broken = false
    const paused = await threads.resume(mixed, failed, {})
    expect(paused.status).toBe('suspended')
    expect(question(paused).id).toBe(question(failed).id)
    const done = await threads.resume(mixed, paused, { answer: 'x' })
    expect(done.output).toEqual(['kept', 'p0 done with x', 'p1 done'])
  })

  test('S171 is not tried again by a retry around its node', async () => {
    const threads = new Threads()
    let entries = 0
    const retried = flow(
      'retried',
      () => {
        entries += 1
        if (!getResumeContext().isResumeTarget) throw interruptSignal('go?')
        return 'gone'
      },
      { retry: { attempts: 3, delay: 0 } },
    )
    const paused = await threads.start(retried)
    expect(paused).toMatchObject({ status: 'suspended' })
    expect(entries).toBe(1)
    expect((await threads.resume(retried, paused, { answer: 1 })).output).toBe('gone')
  })

  test('keeps its answer through a failure after it', async () => {
    const threads = new Threads()
    let broken = true
    const fragile = flow('fragile', async () => {
      const { isResumeTarget, data } = getResumeContext()
      if (!isResumeTarget) throw interruptSignal('go?')
      await step('effect', () => {
        if (broken) throw new Error('down')
      })
      return data
    })
    const paused = await threads.start(fragile)
    const failed = await threads.resume(fragile, paused, { answer: 'x' })
    expect(failed.status).toBe('failed')
    expect(failed.interrupts).toEqual([])

    broken = false
    expect((await threads.resume(fragile, failed)).output).toBe('x')
  })

  test('S30 S117 refuses data it cannot use, and its question stays open', async () => {
    const threads = new Threads()
    const typed = flow('typed', () => {
      const { wasInterrupted } = getInterruptState()
      const { data } = getResumeContext(z.object({ approved: z.boolean() }))
      if (!wasInterrupted) throw interruptSignal('ok?')
      return data?.approved
    })
    const paused = await threads.start(typed)
    await expect(threads.resume(typed, paused, { answer: { approved: 'yes' } })).rejects.toThrow(
      InvalidAnswerError,
    )
    const view = await threads.runner().get(paused.threadId)
    expect(view.status).toBe('suspended')
    expect(view.interrupts.map(({ id }) => id)).toEqual([question(paused).id])

    const done = await threads.resume(typed, paused, { answer: { approved: true } })
    expect(done.output).toBe(true)
  })
})
