import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import {
  drained,
  firstRun,
  laterRun,
  questionsOf,
  store,
  waysInto,
} from '../docs/examples/addressing-runtime.ts'
import { batch, jump, review, signalled, tools } from '../docs/examples/interrupt-package.ts'
import { office, resumeReview, ReviewRequest, startReview } from '../docs/examples/review-agent.ts'
import { messages, question, Threads } from './support/threads.ts'

describe('the interrupt package', () => {
  test('waits for a review in a node', async () => {
    const threads = new Threads()
    const paused = await threads.start(review, { content: 'v1' })
    const done = await threads.resume(review, paused, { answer: { approved: true } })

    expect(question(paused).payload).toEqual({ message: 'Approve?', content: 'v1' })
    expect(done.state).toEqual({ content: 'v1', approved: true })
  })

  test('stops by a signal', async () => {
    const threads = new Threads()
    const paused = await threads.start(signalled)
    const done = await threads.resume(signalled, paused, { answer: true })

    expect(question(paused).message).toBe('This needs a review')
    expect(done.state).toEqual({ approved: true })
  })

  test('keeps its progress', async () => {
    const threads = new Threads()
    const first = await threads.start(batch, { items: ['a', '!b', 'c', '!d'] })
    const second = await threads.resume(batch, first, { answer: 'keep' })
    const done = await threads.resume(batch, second, { answer: 'drop' })

    expect([messages(first), messages(second)]).toEqual([['Keep !b?'], ['Keep !d?']])
    expect(done.state['done']).toEqual(['a', '!b', 'c'])
  })

  test('gathers what tools ask, and takes the answers one by one', async () => {
    const threads = new Threads()
    const calls = [
      { id: '1', name: 'search' },
      { id: '2', name: 'send' },
    ]
    const paused = await threads.start(tools, { calls })
    const [search, send] = paused.interrupts
    const half = await threads.resume(tools, paused, { answers: { [send?.id ?? '']: false } })
    const done = await threads.resume(tools, half, { answers: { [search?.id ?? '']: true } })

    expect(messages(half)).toEqual(['May search run?'])
    expect(done.state['results']).toEqual(['search ran', 'send was skipped'])
  })

  test('goes where a command says', async () => {
    const threads = new Threads()
    const yes = await threads.start(jump)
    const no = await threads.start(jump)

    expect((await threads.resume(jump, yes, { answer: true })).state).toEqual({
      approved: true,
      published: true,
    })
    expect((await threads.resume(jump, no, { answer: false })).state).toEqual({
      approved: false,
      published: false,
    })
  })
})

describe('the addressing runtime', () => {
  test('finds its way back to each point', () => {
    const signal = firstRun()
    const stored = store(signal)
    const [first, second] = questionsOf(signal)

    expect([first?.at, second?.at]).toEqual([
      'agent:librarian;tool:search:call_1',
      'agent:librarian;tool:search:call_2',
    ])
    expect(waysInto(stored)).toEqual(['librarian'])
    expect(laterRun(stored, { [first?.id ?? '']: 'books', [second?.id ?? '']: 'maps' })).toEqual([
      'agent:librarian;tool:search:call_1 searched books',
      'agent:librarian;tool:search:call_2 searched maps',
    ])
    expect(() => laterRun(stored, { [first?.id ?? '']: 'books' })).toThrow(/interrupted at agent/u)
  })

  test('hands values on in their order', async () => {
    expect(await drained(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  })
})

describe('the review agent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hexagon-examples-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('pauses with its own types and goes on in another process', async () => {
    const { threadId, question: asked } = await startReview(folder, 'doc-123')
    const payload = asked?.payload as { request: ReviewRequest } | undefined
    expect(payload?.request).toBeInstanceOf(ReviewRequest)
    expect(payload?.request.documentId).toBe('doc-123')

    const done = await resumeReview(folder, threadId, { [asked?.id ?? '']: { approved: true } })
    expect(done).toMatchObject({ status: 'completed', output: 'approved, going on' })
  })

  test('lets an administrator allow a tool', async () => {
    const threads = new Threads()
    const call = {
      type: 'tool-call' as const,
      toolCallId: 'call_1',
      toolName: 'administration',
      input: {},
    }
    const paused = await threads.start(office, {
      messages: [{ role: 'assistant', content: [call] }],
    })
    const done = await threads.resume(office, paused, { answer: 'Ada' })

    expect(question(paused).payload).toMatchObject({ requestId: 'req-001' })
    expect(JSON.stringify(done.state['messages'])).toContain('allowed by Ada')
  })
})
