import { describe, expect, test } from 'vitest'

import {
  END,
  flow,
  graph,
  interrupt,
  interruptForInput,
  SerializationError,
  START,
  step,
  type Store,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'
import { eventsOf, question, Threads } from '../support/threads.ts'

const own = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}') as Record<string, unknown>

/** What a pause must not change. */
const kept: readonly (readonly [name: string, value: unknown])[] = [
  ['Date', new Date('2024-02-29T12:00:00.123Z')],
  ['NaN', Number.NaN],
  ['Infinity', [Infinity, -Infinity]],
  ['minus zero', -0],
  ['BigInt', 10n ** 30n],
  ['undefined', { a: undefined, b: [undefined, 1] }],
  [
    'Map',
    new Map<unknown, unknown>([
      ['k', new Date(0)],
      [{ deep: 1 }, new Set([1n])],
    ]),
  ],
  ['Set', new Set(['a', 1, null])],
  ['RegExp', /a+b/giu],
  ['URL', new URL('https://example.com/p?q=1#h')],
  ['Float64Array', new Float64Array([1.5, -0, Number.NaN])],
  ['Uint8Array', new Uint8Array([0, 255])],
  ['Buffer', Buffer.from('héllo')],
  ['lone surrogate', '\ud800 ok'],
  ['own __proto__', own],
  ['nested', { list: [{ when: new Date(1), n: -1n }] }],
]

const holding = graph('holding', {
  state: { value: undefined as unknown, answer: undefined as unknown, seen: undefined as unknown },
})
  .node('put', (_state, ctx) => ({ value: (ctx.input as { value: unknown }).value }))
  .node('ask', async ({ value }) => ({ answer: await interrupt(value), seen: value }))
  .edge(START, 'put')
  .edge('put', 'ask')
  .edge('ask', END)

describe('values over a pause', () => {
  test.each(kept)('O07 %s is the same in state, question and answer', async (_name, value) => {
    const threads = new Threads()
    const paused = await threads.start(holding, { value })
    expect(paused.state['value']).toStrictEqual(value)
    expect(question(paused).payload).toStrictEqual(value)
    const view = await threads.runner().get(paused.threadId)
    expect(view.state['value']).toStrictEqual(value)
    expect(question(view).payload).toStrictEqual(value)

    const done = await threads.resume(holding, paused, { answer: value })
    const direct = await holding.invoke(
      { value },
      { onInterrupt: (open) => answerAll(open, value) },
    )
    expect(done.state).toStrictEqual({ value, answer: value, seen: value })
    expect(direct).toStrictEqual(done.state)
    expect(done.output).toStrictEqual(done.state)
  })

  function answerAll(open: readonly { id: string }[], value: unknown): Record<string, unknown> {
    return Object.fromEntries(open.map(({ id }) => [id, value]))
  }

  test('O08 an own __proto__ key stays data', async () => {
    const threads = new Threads()
    const paused = await threads.start(holding, { value: own })
    const done = await threads.resume(holding, paused, { answer: own })
    const answer = done.state['answer'] as Record<string, unknown>

    expect(Object.keys(answer)).toEqual(['__proto__', 'constructor'])
    expect(answer['isAdmin']).toBeUndefined()
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
  })

  test('B37 falsy answers reach the node as they are', async () => {
    for (const value of [false, 0, '', null, [], {}, 'null']) {
      const threads = new Threads()
      const ask = flow('ask', async () => ({ got: await interrupt('value?') }))
      const paused = await threads.start(ask)
      expect((await threads.resume(ask, paused)).status).toBe('suspended')
      const done = await threads.resume(ask, paused, { answer: value })
      expect(done.output).toStrictEqual({ got: value })
    }
  })

  test('B40 BigInt survives in state, question and answer', async () => {
    const threads = new Threads()
    const value = { a: 10n, b: [-1n, { c: 0n }] }
    const paused = await threads.start(holding, { value })
    const done = await threads.resume(holding, paused, { answer: -1n })

    expect(done.state).toStrictEqual({ value, answer: -1n, seen: value })
  })

  test('B38 an unknown tag in a stored record is an error that names it', async () => {
    const threads = new Threads({
      store: rewriting(memoryStore(), 'keepsake', '{"$type":"nosuch","value":1}'),
    })
    const seen: string[] = []
    const ask = graph('ask', { state: { value: '' } })
      .node('put', () => ({ value: 'keepsake' }))
      .node('ask', async () => {
        seen.push('ask')
        return { value: await interruptForInput('ok?') }
      })
      .edge(START, 'put')
      .edge('put', 'ask')
      .edge('ask', END)
    const paused = await threads.start(ask)
    const resumed = threads.resume(ask, paused, { answer: 'x' })

    await expect(resumed).rejects.toThrow(/nosuch/u)
    expect(seen).toEqual(['ask'])
  })

  test('L88 records that pretend to be constructors stay data', async () => {
    const threads = new Threads()
    const value = {
      lc: 2,
      type: 'constructor',
      id: ['child_process', 'exec'],
      kwargs: { command: 'x' },
      $type: { $type: 'Date', value: 'x' },
    }
    const paused = await threads.start(holding, { value })
    const done = await threads.resume(holding, paused, { answer: value })

    expect(done.state).toStrictEqual({ value, answer: value, seen: value })
  })

  test('L87 a cycle is refused with its path', async () => {
    const threads = new Threads()
    const cyclic: Record<string, unknown> = { a: { b: [] } }
    ;(cyclic['a'] as { b: unknown[] }).b.push(cyclic)
    await expect(threads.start(holding, { value: cyclic })).rejects.toThrow(/input\.value\.a\.b/u)

    const bad = graph('bad', { state: { value: undefined as unknown } })
      .node('put', () => ({ value: cyclic }))
      .edge(START, 'put')
      .edge('put', END)
    const failed = await threads.start(bad)
    expect(failed.error).toBeInstanceOf(SerializationError)
    expect(failed.error?.message).toContain('state.value.a.b[0]')
  })

  test('S66 an unregistered class in the state is refused before anything is announced', async () => {
    class Money {
      readonly cents = 5
    }
    const threads = new Threads()
    const bad = graph('bad', { state: { order: undefined as unknown } })
      .node('put', () => ({ order: { total: new Money() } }))
      .node('ask', async () => ({ order: await interruptForInput('ok?') }))
      .edge(START, 'put')
      .edge('put', 'ask')
      .edge('ask', END)
    const run = threads.run(bad)
    const events = await eventsOf(run)
    const failed = await run.result

    expect(failed.error).toMatchObject({ name: 'SerializationError', path: 'state.order.total' })
    expect(failed.error?.message).toContain('Money')
    expect(events.some(({ type }) => type === 'interrupt:open')).toBe(false)
  })

  test('S66 an unregistered class in a question is refused at the call', async () => {
    class Money {
      readonly cents = 5
    }
    const threads = new Threads()
    const failed = await threads.start(
      flow('ask', async () => interrupt({ message: 'pay?', total: new Money() })),
    )
    expect(failed.error).toMatchObject({ name: 'SerializationError', path: 'payload.total' })
    expect(failed.interrupts).toEqual([])
  })

  test('B41 a value that can not be kept fails once and the thread goes on from before', async () => {
    const threads = new Threads()
    const calls = { a: 0, b: 0 }
    let broken = true
    const flow2 = graph('bad', { state: { a: 0, f: undefined as unknown } })
      .node('a', () => ({ a: (calls.a += 1) }))
      .node(
        'b',
        () => {
          calls.b += 1
          return { f: broken ? () => 1 : 'fine' }
        },
        { retry: { attempts: 5, delay: 0 } },
      )
      .edge(START, 'a')
      .edge('a', 'b')
      .edge('b', END)
    const failed = await threads.start(flow2)
    expect(failed.error).toMatchObject({ name: 'SerializationError', path: 'state.f' })
    expect(calls).toEqual({ a: 1, b: 1 })

    broken = false
    const done = await threads.resume(flow2, failed)
    expect(done.state).toEqual({ a: 1, f: 'fine' })
    expect(calls).toEqual({ a: 1, b: 2 })
  })

  test('B41 a step result that can not be kept fails the node with its path', async () => {
    const failed = await new Threads().start(
      flow('bad', async () => step('load', () => ({ list: [1, () => 2] }))),
    )
    expect(failed.error).toMatchObject({ name: 'SerializationError', path: 'step "load".list[1]' })
  })

  test('an output that can not be kept fails the thread, with and without a store', async () => {
    let broken = true
    const bad = graph('bad', {
      state: { x: 1 },
      output: ({ x }) => ({ x, f: broken ? () => x : 'fine' }),
    })
      .node('a', () => ({ x: 2 }))
      .edge(START, 'a')
      .edge('a', END)
    const threads = new Threads()
    const failed = await threads.start(bad)
    expect(failed.status).toBe('failed')
    expect(failed.error).toMatchObject({ name: 'SerializationError', path: 'output.f' })
    await expect(bad.invoke({})).rejects.toMatchObject({ path: 'output.f' })

    broken = false
    expect((await threads.resume(bad, failed)).output).toEqual({ x: 2, f: 'fine' })
  })
})

/** A store whose loaded records have the JSON text of `from` replaced. */
function rewriting(store: Store, from: string, to: string): Store {
  const rewrite = (text: string): string => text.replaceAll(JSON.stringify(from), to)
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      if (typeof found !== 'function') return found
      const method = found.bind(target) as (...args: unknown[]) => Promise<unknown>
      if (name !== 'claim') return method
      return async (...args: unknown[]) => {
        const thread = (await method(...args)) as { records: ReadonlyMap<string, string> }
        const records = [...thread.records].map(([key, text]) => [key, rewrite(text)] as const)
        return { ...thread, records: new Map(records) }
      }
    },
  })
}
