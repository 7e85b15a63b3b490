import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  END,
  flow,
  getResumeContext,
  graph,
  interrupt,
  interruptSignal,
  START,
} from '../../src/index.ts'
import { messages, question, questionAsking, Threads } from '../support/threads.ts'

describe('a task that waits', () => {
  test('is not entered for answers it has seen, when others are answered', async () => {
    const threads = new Threads()
    const entries: string[] = []
    const both = graph('both', { state: { a: '', b: '' } })
      .node('a', async () => {
        entries.push('a')
        return { a: `${await interrupt<string>('a1?')}${await interrupt<string>('a2?')}` }
      })
      .node('b', async () => {
        entries.push('b')
        return { b: await interrupt<string>('b?') }
      })
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const first = await threads.start(both)
    const second = await threads.resume(both, first, {
      answers: { [questionAsking(first, 'a1?').id]: 'A' },
    })
    expect(entries).toEqual(['a', 'b', 'a'])
    const third = await threads.resume(both, second, {
      answers: { [questionAsking(second, 'b?').id]: 'B' },
    })
    expect(entries).toEqual(['a', 'b', 'a', 'b'])
    const plain = await threads.resume(both, third)
    expect(entries).toHaveLength(4)
    expect(messages(plain)).toEqual(['a2?'])
    const done = await threads.resume(both, plain, { answer: 'Z' })

    expect(done.state).toEqual({ a: 'AZ', b: 'B' })
  })

  test('is entered for an answer that was stored while nothing ran', async () => {
    const threads = new Threads()
    const two = flow('two', async () => [await interrupt('one?'), await interrupt('two?')])
    const paused = await threads.start(two)
    await threads.runner().answer(paused.threadId, { answer: 1 })
    const half = await threads.resume(two, paused)
    expect(messages(half)).toEqual(['two?'])
    await threads.runner().answer(paused.threadId, { answer: 2 })

    expect((await threads.resume(two, paused)).output).toEqual([1, 2])
  })

  test('does not fail again when another is answered', async () => {
    const threads = new Threads()
    let tries = 0
    const both = graph('both', { state: { b: '' } })
      .node('a', async () => {
        await interrupt('a?')
        tries += 1
        throw new Error('broken')
      })
      .node('b', async () => ({ b: await interrupt<string>('b?') }))
      .edge(START, 'a')
      .edge(START, 'b')
      .edge('a', END)
      .edge('b', END)
    const first = await threads.start(both)
    const failed = await threads.resume(both, first, {
      answers: { [questionAsking(first, 'a?').id]: true },
    })
    expect([failed.status, tries]).toEqual(['failed', 1])
    await threads.resume(both, failed, { answers: { [question(failed).id]: 'B' } })
    expect(tries).toBe(1)
    await threads.resume(both, failed, {})

    expect(tries).toBe(2)
  })

  test('that is entered again takes the graph it runs along', async () => {
    const threads = new Threads()
    const inner = flow('inner', () => interrupt<string>('inner?'))
    const outer = flow('outer', async () =>
      Promise.all([
        inner.invoke(),
        appendAddressSegment('part', 'p', undefined, async () => {
          const { isResumeTarget, data } = getResumeContext<string>()
          if (!isResumeTarget) throw interruptSignal('part?')
          return data
        }),
      ]),
    )
    let rounds = 0
    const run = await threads.start(outer, undefined, {
      onInterrupt: (open) => {
        rounds += 1
        const [next] = open.toSorted((a, b) => b.message.localeCompare(a.message))
        return next === undefined ? 'defer' : { [next.id]: `to ${next.message}` }
      },
    })

    expect(run).toMatchObject({ status: 'completed', output: ['to inner?', 'to part?'] })
    expect(rounds).toBe(2)
  })
})
