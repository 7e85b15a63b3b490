import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { HexagonError, UnboundedChannel } from '../../src/index.ts'

async function rest<T>(channel: UnboundedChannel<T>): Promise<T[]> {
  const values: T[] = []
  for await (const value of channel) values.push(value)
  return values
}

describe('an unbounded channel', () => {
  test('gives what was sent in its order, and drains after close', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.anything()), fc.nat(), async (sent, early) => {
        const channel = new UnboundedChannel<unknown>()
        const received: unknown[] = []
        const first = Array.from({ length: early % 4 }, () =>
          channel.receive().then(({ done, value }) => done === true || received.push(value)),
        )
        for (const value of sent) channel.send(value)
        channel.close()
        await Promise.all(first)
        expect([...received, ...(await rest(channel))]).toEqual(sent)
      }),
      { numRuns: 50 },
    )
  })

  test('holds as much as is sent', async () => {
    const channel = new UnboundedChannel<number>()
    const count = 100_000
    for (let value = 0; value < count; value += 1) channel.send(value)
    expect(channel.size).toBe(count)
    channel.close()

    expect((await rest(channel)).at(-1)).toBe(count - 1)
    expect(channel.size).toBe(0)
  })

  test('gives each value to one receiver', async () => {
    const channel = new UnboundedChannel<string>()
    const both = Promise.all([channel.receive(), channel.receive()])
    channel.send('a')
    channel.send('b')

    expect((await both).map(({ value }) => value)).toEqual(['a', 'b'])
  })

  test('refuses what comes too late', () => {
    const channel = new UnboundedChannel<number>()
    channel.close()
    channel.close()

    expect(() => channel.send(1)).toThrow(HexagonError)
    expect(channel.trySend(1)).toBe(false)
    expect(channel.closed).toBe(true)
  })

  test('tells a waiting receiver the end', async () => {
    const channel = new UnboundedChannel<number>()
    const waiting = channel.receive()
    channel.close()

    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})
