import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import {
  channel,
  END,
  flow,
  getInterruptState,
  getResumeContext,
  graph,
  interrupt,
  interruptSignal,
  NoStoreError,
  Runner,
  segment,
  SerializationError,
  START,
  statefulInterrupt,
  tool,
  toolCall,
  toolsNode,
  UnknownThreadError,
  type HexagonError,
  type Message,
} from '../../src/index.ts'
import { memoryStore, type Store } from '../../src/stores/index.ts'
import { question, Threads } from '../support/threads.ts'

/** Asks once by a signal that keeps state. */
const asks = flow('asks', () => {
  const { state } = getInterruptState(z.object({ at: z.number() }))
  const { isResumeTarget, data } = getResumeContext()
  if (!isResumeTarget) throw statefulInterrupt('go?', { at: 3 })
  return [state?.at, data]
})

/** A store that can't open questions. */
function failingStore(): Store {
  const store = memoryStore()
  return new Proxy(store, {
    get: (_, name) => {
      if (name !== 'commit') {
        const member: unknown = Reflect.get(store, name)
        return typeof member === 'function' ? member.bind(store) : member
      }
      return (batch: Parameters<Store['commit']>[0]) =>
        (batch.open ?? []).length > 0 ? Promise.reject(new Error('disk full')) : store.commit(batch)
    },
  })
}

describe('a component question', () => {
  test('S102 of a thread that is not there is an error', async () => {
    const runner = new Runner({ store: memoryStore(), flows: [asks] })

    await expect(runner.resume('nowhere', { answer: 1 }).result).rejects.toThrow(UnknownThreadError)
    await expect(runner.resume('nowhere').result).rejects.toThrow(UnknownThreadError)
    await expect(new Runner().resume('nowhere').result).rejects.toThrow(NoStoreError)
  })

  test('S104 that cannot be saved fails its run, and is not shown', async () => {
    const failing = failingStore()
    const run = new Runner({ store: failing }).run(asks)
    const shown: string[] = []
    for await (const { type } of run) shown.push(type)

    await expect(run.result).rejects.toThrow('disk full')
    expect(shown).not.toContain('interrupt:open')
  })

  test('S104 that holds what cannot be kept fails where it is made', async () => {
    const threads = new Threads()
    const wrong = flow('wrong', () => {
      throw interruptSignal({ act: () => 1 })
    })
    const failed = await threads.start(wrong)

    expect(failed).toMatchObject({ status: 'failed', interrupts: [] })
    expect(failed.error).toBeInstanceOf(SerializationError)
    expect(failed.error?.message).toContain('info.act')
  })

  test('without a store and a handler is an error, like any other', async () => {
    const failed = await new Runner().invoke(asks)

    expect(failed.status).toBe('failed')
    expect(failed.error).toBeInstanceOf(NoStoreError)
  })

  test('S105 is saved before its event', async () => {
    const threads = new Threads()
    const run = threads.run(asks)
    let stored: unknown
    for await (const event of run) {
      if (event.type !== 'interrupt:open') continue
      const thread = await threads.store.load(run.threadId)
      stored = thread?.interrupts.map(({ id, status }) => [id, status])
      await threads.runner().answer(run.threadId, { answers: { [event.interrupt.id]: 'now' } })
    }

    expect(stored).toEqual([[expect.any(String), 'open']])
    const left = await run.result
    const done = left.status === 'completed' ? left : await threads.resume(asks, left)
    expect(done.output).toEqual([3, 'now'])
  })

  test('S115 with state of another shape is an error that names the place', async () => {
    const threads = new Threads()
    const old = flow('asks', () => {
      throw statefulInterrupt('go?', { position: 'three' })
    })
    const paused = await threads.start(old)
    const failed = await threads.resume(asks, paused, { answer: 'x' })

    expect(failed.status).toBe('failed')
    expect((failed.error as HexagonError).code).toBe('E2132')
    expect(failed.error?.message).toMatch(/node:asks.*at/u)
    expect((await threads.runner().get(paused.threadId)).status).toBe('failed')
  })

  test('S177 of a tool that streams belongs to the tool', async () => {
    const threads = new Threads()
    const streaming = tool({
      name: 'streaming',
      description: 'asks after its first part',
      async *execute() {
        yield 'first '
        const { isResumeTarget, data } = getResumeContext<string>()
        if (!isResumeTarget) throw interruptSignal('second?')
        yield data ?? ''
      },
    })
    const flowed = graph('streams', {
      state: {
        messages: channel<Message[]>({
          initial: [],
          reduce: (before, more) => [...before, ...more],
        }),
      },
    })
      .node('tools', toolsNode([streaming]))
      .edge(START, 'tools')
      .edge('tools', END)
    const paused = await threads.start(flowed, {
      messages: [{ role: 'assistant', content: [toolCall('1', 'streaming')] }],
    })
    expect(question(paused).address).toEqual([
      segment('node', 'tools'),
      segment('tool', 'streaming', '1'),
    ])
    const done = await threads.resume(flowed, paused, { answer: 'second' })

    expect(JSON.stringify(done.state['messages'])).toContain('first second')
  })

  test('S179 goes on although nobody reads its events any more', async () => {
    const threads = new Threads()
    const run = threads.run(asks)
    for await (const { type } of run) if (type === 'node:start') break
    const paused = await run.result
    const resumed = threads.resumeRun(asks, paused, { answer: 'x' })
    for await (const _ of resumed) break

    expect((await resumed.result).output).toEqual([3, 'x'])
  })

  test.each([
    ['a signal', asks],
    ['a call', flow('calls', async () => [3, await interrupt('go?')])],
  ])('S182 of %s takes data, never code', async (_title, flowed) => {
    const threads = new Threads()
    const paused = await threads.start(flowed)
    const answers = { [question(paused).id]: { change: (text: string) => text } }
    await expect(threads.resume(flowed, paused, { answers })).rejects.toThrow(/change/u)
    expect((await threads.runner().get(paused.threadId)).interrupts).toEqual(paused.interrupts)

    const patch = { replace: [2, 'text'] }
    const done = await threads.resume(flowed, paused, { answer: patch })
    expect(done.output).toEqual([3, patch])
  })
})
