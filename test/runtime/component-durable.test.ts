import { describe, expect, test } from 'vitest'

import {
  appendAddressSegment,
  compositeInterrupt,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interruptSignal,
  START,
  statefulInterrupt,
  type InterruptSignal,
} from '../../src/index.ts'
import { messages, question, questionAsking, Threads } from '../support/threads.ts'

/** A component that runs `levels` components inside itself, the innermost of which asks. */
function nested(level: number, state: string): unknown {
  return appendAddressSegment('level', String(level), undefined, () => {
    const { isResumeTarget, data } = getResumeContext()
    const kept = getInterruptState<{ own: string }>()
    if (level === 0) {
      if (!isResumeTarget) throw statefulInterrupt('deep?', { own: state })
      return [data, kept.state?.own.length]
    }
    try {
      return nested(level - 1, state)
    } catch (error) {
      throw compositeInterrupt(`level ${level}`, { own: state }, [error])
    }
  })
}

async function bytesOf(levels: number): Promise<number> {
  const threads = new Threads()
  const state = 'x'.repeat(1024)
  const deep = flow('deep', () => nested(levels, state))
  const paused = await threads.start(deep)
  const stored = await threads.store.load(paused.threadId)
  const records = [...(stored?.records ?? [])].map(([key, text]) => key.length + text.length)
  const bodies = (stored?.interrupts ?? []).map(({ body }) => body.length)
  return [...records, ...bodies].reduce((sum, length) => sum + length, 0)
}

describe('a component', () => {
  test('S172 is stored in a size that grows with its nesting, not faster', async () => {
    const sizes = await Promise.all([1, 2, 3, 4, 5, 10].map(bytesOf))
    const [one = 0, two = 0, , , five = 0, ten = 0] = sizes
    const level = two - one

    expect(level).toBeLessThan(2 * 1024)
    expect(five).toBeLessThan(2 * 5 * 1024)
    // A level's record holds its address: that grows by one segment from level to level.
    expect(five - one).toBeLessThan(4 * level * 1.5)
    expect(ten - five).toBeLessThan(5 * level * 1.5)
  })

  test('is entered again fifty levels down', async () => {
    const threads = new Threads()
    const deep = flow('deep', () => nested(50, 'own state'))
    const paused = await threads.start(deep)
    expect(question(paused).address).toHaveLength(52)

    const done = await threads.resume(deep, paused, { answer: 'found' })
    expect(done.output).toEqual(['found', 'own state'.length])
  })

  test('takes an answer that was stored while nothing ran', async () => {
    const threads = new Threads()
    const ask = flow('ask', () => {
      if (!getResumeContext().isResumeTarget) throw interruptSignal('go?')
      return getResumeContext().data
    })
    const paused = await threads.start(ask)
    await threads.runner().answer(paused.threadId, { answer: 'later' })

    expect((await threads.resume(ask, paused)).output).toBe('later')
  })

  test('is not entered when others are answered', async () => {
    const threads = new Threads()
    const entries: string[] = []
    const pair = graph('pair', { state: { a: '', b: '' } })
    for (const name of ['a', 'b'] as const) {
      pair
        .node(name, () => {
          entries.push(name)
          if (!getResumeContext().isResumeTarget) throw interruptSignal(`${name}?`)
          return { [name]: getResumeContext(String).data }
        })
        .edge(START, name as never)
        .edge(name as never, END)
    }
    const paused = await threads.start(pair)
    const half = await threads.resume(pair, paused, {
      answers: { [questionAsking(paused, 'a?').id]: 'A' },
    })
    expect(entries).toEqual(['a', 'b', 'a'])
    expect(question(half)).toEqual(questionAsking(paused, 'b?'))

    const plain = await threads.resume(pair, half)
    expect(entries).toEqual(['a', 'b', 'a'])
    expect(messages(plain)).toEqual(['b?'])
    const done = await threads.resume(pair, plain, { answer: 'B' })
    expect(done.state).toEqual({ a: 'A', b: 'B' })
  })

  test('that took its answer is not entered for it once more', async () => {
    const threads = new Threads()
    const entries: string[] = []
    const both = graph('both', { state: {} })
      .node('pair', async () => {
        entries.push('pair')
        for (const id of ['one', 'two']) {
          appendAddressSegment('ask', id, undefined, () => {
            if (!getResumeContext().isResumeTarget) throw interruptSignal(`${id}?`)
          })
        }
      })
      .node('other', () => {
        if (!getResumeContext().isResumeTarget) throw interruptSignal('other?')
      })
      .edge(START, 'pair')
      .edge(START, 'other')
      .edge('pair', END)
      .edge('other', END)
    const first = await threads.start(both)
    const second = await threads.resume(both, first, {
      answers: { [questionAsking(first, 'one?').id]: 1 },
    })
    expect(entries).toHaveLength(2)
    const third = await threads.resume(both, second, {
      answers: { [questionAsking(second, 'other?').id]: 1 },
    })
    expect(entries).toHaveLength(2)
    const done = await threads.resume(both, third, { answer: 2 })
    expect(done.status).toBe('completed')
    expect(entries).toHaveLength(3)
  })

  test('goes through ten thousand open questions of one node at once', async () => {
    const count = 10_000
    const threads = new Threads()
    const wall = flow('wall', () => {
      const errors: InterruptSignal[] = []
      let sum = 0
      for (let index = 0; index < count; index += 1) {
        appendAddressSegment('brick', String(index), undefined, () => {
          const { isResumeTarget, data } = getResumeContext<number>()
          if (isResumeTarget) sum += data ?? 0
          else errors.push(interruptSignal(index))
        })
      }
      if (errors.length > 0) throw compositeInterrupt('wall', undefined, errors)
      return sum
    })
    const paused = await threads.start(wall)
    expect(paused.interrupts).toHaveLength(count)

    const answers = Object.fromEntries(paused.interrupts.map(({ id }) => [id, 1]))
    const done = await threads.resume(wall, paused, { answers })
    expect(done.output).toBe(count)
  })
})
