import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  compositeInterrupt,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interrupt,
  interruptForInput,
  interruptSignal,
  START,
  step,
  type Interrupt,
} from '../../src/index.ts'
import { eventsOf, messages, question, questionAsking, Threads } from '../support/threads.ts'

/** A graph whose node asks by a signal. */
const asking = (name: string) =>
  graph(name, { state: { said: '' } })
    .node('ask', () => {
      const { isResumeTarget, data } = getResumeContext<string>()
      if (!isResumeTarget) throw interruptSignal(`${name}?`)
      return { said: data ?? '' }
    })
    .edge(START, 'ask')
    .edge('ask', END)

/** Answers each question with its own text. */
const echo = (open: readonly Interrupt[]): Record<string, unknown> =>
  Object.fromEntries(open.map(({ id, message }) => [id, message]))

async function caught(body: () => Promise<unknown>): Promise<unknown> {
  try {
    await body()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a node whose call was unwound', () => {
  test('asks nothing more and does nothing more: both depend on the answer', async () => {
    const threads = new Threads()
    const refused: unknown[] = []
    const careless = flow('careless', async () => {
      const first = await interruptForInput('first?').catch(() => 'nobody')
      refused.push(await caught(() => interruptForInput(`second, ${first}?`)))
      refused.push(await caught(async () => step('effect', () => undefined)))
      return first
    })
    const run = threads.run(careless)
    const [paused, events] = await Promise.all([run.result, eventsOf(run)])

    expect(messages(paused)).toEqual(['first?'])
    expect(refused).toMatchObject([{ name: 'InterruptSignal' }, { code: 'E2105' }])
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'E2109' }))
    const second = await threads.resume(careless, paused, { answer: 'Ada' })
    expect(messages(second)).toEqual(['second, Ada?'])
  })

  test('does not ask in the place of a component inside', async () => {
    const threads = new Threads()
    const around = flow('around', async () => {
      try {
        return await appendAddressSegment('process', 'p0', undefined, () =>
          interrupt<string>('p0?'),
        )
      } catch {
        return await interrupt<string>('instead?')
      }
    })
    const paused = await threads.start(around)
    expect(messages(paused)).toEqual(['p0?'])
    expect((await threads.resume(around, paused, { answer: 'yes' })).output).toBe('yes')
  })

  const batch = (ask: (question: string) => Promise<unknown>) =>
    flow('batch', async () => {
      const { state = {} } = getInterruptState<Record<string, unknown>>()
      const results = { ...state }
      const errors: unknown[] = []
      for (const id of ['p0', 'p1', 'p2']) {
        if (id in results) continue
        try {
          results[id] = await appendAddressSegment('process', id, undefined, () => ask(`${id}?`))
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw compositeInterrupt('batch', results, errors)
      return results
    })
  const answered = { p0: 'p0?', p1: 'p1?', p2: 'p2?' }

  test('gathers children whose calls wait one after another, and each is asked in its turn', async () => {
    const threads = new Threads()
    const flowed = batch((text) => interrupt(text))
    let paused = await threads.start(flowed)
    for (const text of ['p0?', 'p1?', 'p2?']) {
      expect(messages(paused)).toEqual([text])
      paused = await threads.resume(flowed, paused, { answer: text })
    }
    expect(paused.output).toEqual(answered)
  })

  test('gathers children that throw their signals all at once', async () => {
    const threads = new Threads()
    const flowed = batch(async (text) => {
      const { isResumeTarget, data } = getResumeContext()
      if (!isResumeTarget) throw interruptSignal(text)
      return data
    })
    const paused = await threads.start(flowed)
    expect(messages(paused)).toEqual(['p0?', 'p1?', 'p2?'])
    const answers = echo(paused.interrupts)
    expect((await threads.resume(flowed, paused, { answers })).output).toEqual(answered)
  })

  test('S171 tries again what failed beside a call that waits', async () => {
    const threads = new Threads()
    let tries = 0
    const beside = flow(
      'beside',
      async () => {
        const [said] = await Promise.all([
          interruptForInput('say?'),
          step('shaky', () => {
            tries += 1
            if (tries === 1) throw new Error('shaky')
          }),
        ])
        return said
      },
      { retry: { attempts: 2, delay: 0 } },
    )
    const paused = await threads.start(beside)
    expect(messages(paused)).toEqual(['say?'])
    expect((await threads.resume(beside, paused, { answer: 'hi' })).output).toBe('hi')
    expect(tries).toBe(2)
  })
})

describe('a graph that is invoked and asks by signals', () => {
  const gathering = (log: unknown[] = []) => {
    const graphs = ['a', 'b'].map(asking)
    return flow('gathering', async () => {
      const { state = {} } = getInterruptState<Record<string, unknown>>()
      log.push(Object.keys(state))
      const results = { ...state }
      const errors: unknown[] = []
      for (const inner of graphs) {
        if (inner.name in results) continue
        try {
          results[inner.name] = await inner.invoke()
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw compositeInterrupt('gathering', results, errors)
      return results
    })
  }
  const done = { a: { said: 'a?' }, b: { said: 'b?' } }

  test('is unwound at once, so that whoever gathers comes to the next one', async () => {
    const threads = new Threads()
    const log: unknown[] = []
    const flowed = gathering(log)
    const paused = await threads.start(flowed)
    expect(messages(paused)).toEqual(['a?', 'b?'])

    const half = await threads.resume(flowed, paused, {
      answers: { [questionAsking(paused, 'b?').id]: 'b?' },
    })
    expect(question(half).id).toBe(questionAsking(paused, 'a?').id)
    const end = await threads.resume(flowed, half, { answer: 'a?' })
    expect(end.output).toEqual(done)
    expect(log).toEqual([[], [], ['b']])
  })

  test('goes on in the same process through whoever gathers', async () => {
    const threads = new Threads()
    const end = await threads.start(gathering(), undefined, { onInterrupt: echo })
    expect(end).toMatchObject({ status: 'completed', output: done })
    expect((await threads.runner().get(end.threadId)).interrupts).toEqual([])
  })

  test('goes on one answer after another in the same process', async () => {
    const threads = new Threads()
    const end = await threads.start(gathering(), undefined, {
      onInterrupt: (open) => echo(open.slice(-1)),
    })
    expect(end).toMatchObject({ status: 'completed', output: done })
  })

  test('is asked for again when the code around it goes on as if it had an answer', async () => {
    const threads = new Threads()
    const inner = asking('inner')
    const ran: string[] = []
    const careless = flow('careless', async () => {
      const given = await inner.invoke().catch(() => 'nothing')
      await step('effect', () => void ran.push('effect'))
      return given
    })
    const run = threads.run(careless)
    const [paused, events] = await Promise.all([run.result, eventsOf(run)])
    expect(paused.status).toBe('suspended')
    expect(ran).toEqual([])
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'E2109' }))

    const end = await threads.resume(careless, paused, { answer: 'yes' })
    expect(end.output).toEqual({ said: 'yes' })
    expect(ran).toEqual(['effect'])
  })

  test('whose signal is swallowed keeps its node waiting, in place and later', async () => {
    const threads = new Threads()
    const inner = asking('inner')
    const careless = flow('careless', () => inner.invoke().catch(() => 'nothing'))
    const paused = await threads.start(careless)
    expect(paused.status).toBe('suspended')
    expect((await threads.resume(careless, paused, { answer: 'yes' })).output).toEqual({
      said: 'yes',
    })
    const inPlace = await threads.start(careless, undefined, { onInterrupt: echo })
    expect(inPlace.output).toEqual({ said: 'inner?' })
  })

  test('two levels deep is gathered at each level', async () => {
    const threads = new Threads()
    const inner = asking('inner')
    const middle = graph('middle', { state: { said: '' } })
      .node('call', async () => {
        try {
          return (await inner.invoke()) as { said: string }
        } catch (error) {
          throw compositeInterrupt('middle', 'middle state', [error])
        }
      })
      .edge(START, 'call')
      .edge('call', END)
    const outer = flow('outer', async () => {
      try {
        return await middle.invoke()
      } catch (error) {
        throw compositeInterrupt('outer', 'outer state', [error])
      }
    })
    const paused = await threads.start(outer)
    const tree = await threads.runner().interruptTree(paused.threadId)
    expect(tree?.info).toBe('outer')
    expect(tree?.subs[0]?.subs[0]?.info).toBe('middle')
    expect((await threads.resume(outer, paused, { answer: 'x' })).output).toEqual({ said: 'x' })
    const inPlace = await threads.start(outer, undefined, { onInterrupt: echo })
    expect(inPlace.output).toEqual({ said: 'inner?' })
  })

  test('beside steps of other components lets those go on', async () => {
    const threads = new Threads()
    const inner = asking('inner')
    const ran: string[] = []
    const mixed = flow('mixed', async () => {
      const errors: unknown[] = []
      const given = await inner.invoke().catch((error: unknown) => void errors.push(error))
      const made = await appendAddressSegment('process', 'beside', undefined, () =>
        step('beside', () => {
          ran.push('beside')
          return 1
        }),
      )
      if (errors.length > 0) throw compositeInterrupt('mixed', undefined, errors)
      return [given, made]
    })
    const paused = await threads.start(mixed)
    expect(ran).toEqual(['beside'])
    const end = await threads.resume(mixed, paused, { answer: 'yes' })
    expect(end.output).toEqual([{ said: 'yes' }, 1])
    expect(ran).toEqual(['beside'])
  })

  test('and then a child that waits in a call is gathered, and the child is asked in its turn', async () => {
    const threads = new Threads()
    const inner = asking('inner')
    const mixed = flow('mixed', async () => {
      const settled = await Promise.allSettled([inner.invoke()])
      const said = await appendAddressSegment('process', 'p', undefined, () => interrupt('call?'))
        .then((value) => ({ value }))
        .catch((error: unknown) => ({ error }))
      const errors = [...settled, said].flatMap((one) => {
        if ('reason' in one) return [one.reason as unknown]
        return 'error' in one ? [one.error] : []
      })
      if (errors.length > 0) throw compositeInterrupt('mixed', undefined, errors)
      return said
    })
    const first = await threads.start(mixed)
    expect(messages(first)).toEqual(['inner?'])
    const second = await threads.resume(mixed, first, { answer: 'x' })
    expect(messages(second)).toEqual(['call?'])
    expect((await threads.resume(mixed, second, { answer: 'y' })).output).toEqual({ value: 'y' })
    const inPlace = await threads.start(mixed, undefined, { onInterrupt: echo })
    expect(inPlace.output).toEqual({ value: 'call?' })
  })

  test('beside a call that waits stays as it is: nothing is run twice for an answer in place', async () => {
    const threads = new Threads()
    let entered = 0
    const inner = asking('inner')
    const both = flow('both', async () => {
      entered += 1
      return Promise.all([inner.invoke(), interruptForInput('call?')])
    })
    const end = await threads.start(both, undefined, { onInterrupt: echo })
    expect(end.output).toEqual([{ said: 'inner?' }, 'call?'])
    expect(entered).toBe(1)
  })
})
