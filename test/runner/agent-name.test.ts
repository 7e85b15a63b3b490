import { describe, expect, test } from 'vitest'

import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  appendAddressSegment,
  flow,
  interruptForInput,
  UnknownInterruptError,
} from '../../src/index.ts'
import { Threads } from '../support/threads.ts'

const agent = (name: string, ...questions: string[]): Promise<string[]> =>
  appendAddressSegment('agent', name, undefined, () =>
    Promise.all(questions.map((text) => interruptForInput(text))),
  )

const office = flow('office', () =>
  Promise.all([
    agent('MyAgent', 'one?'),
    agent('SubAgent', 'two?'),
    agent('Busy', 'three?', 'four?'),
  ]),
)

describe('an agent as the target of an answer', () => {
  test('is enough where it asks one thing', async () => {
    const threads = new Threads()
    const paused = await threads.start(office)
    const half = await threads.resume(office, paused, { answers: { MyAgent: 'A', SubAgent: 'B' } })
    expect(half.interrupts.map(({ message }) => message)).toEqual(['three?', 'four?'])
  })

  test('is refused where it asks several, or nothing any more', async () => {
    const threads = new Threads()
    const paused = await threads.start(office)
    await expect(threads.resume(office, paused, { answers: { Busy: 'x' } })).rejects.toThrow(
      AmbiguousAnswerError,
    )
    await expect(threads.resume(office, paused, { answers: { Nobody: 'x' } })).rejects.toThrow(
      UnknownInterruptError,
    )
    await threads.resume(office, paused, { answers: { MyAgent: 'A' } })
    await expect(threads.resume(office, paused, { answers: { MyAgent: 'B' } })).rejects.toThrow(
      AlreadyAnsweredError,
    )
  })

  test('is the innermost one around the question, and a key comes before it', async () => {
    const threads = new Threads()
    const nested = flow('nested', () =>
      appendAddressSegment('agent', 'outer', undefined, () =>
        Promise.all([
          appendAddressSegment('agent', 'inner', undefined, () => interruptForInput('inside?')),
          interruptForInput('keyed?', { key: 'inner-key' }),
        ]),
      ),
    )
    const paused = await threads.start(nested)
    const half = await threads.resume(nested, paused, { answers: { inner: 'A' } })
    expect(half.interrupts.map(({ message }) => message)).toEqual(['keyed?'])
    expect((await threads.resume(nested, half, { answers: { outer: 'B' } })).output).toEqual([
      'A',
      'B',
    ])
  })
})
