import { join } from 'node:path'

import { expect, test } from 'vitest'

import { flow, interrupt, Runner } from '../../src/index.ts'
import { fileStore, memoryStore } from '../../src/stores/index.ts'
import { tempFolder } from '../stores/temp-folder.ts'
import { deepList } from '../support/hostile.ts'

const SIZE = 100 * 1024 * 1024

const take = flow('take', async () => {
  const given = await interrupt('What?')
  return typeof given === 'string' ? given.length : 0
})

test('an answer of 100 MB is stored and comes back exactly, in some copies of memory', async () => {
  const store = fileStore(join(tempFolder(), '.hexagon'))
  const runner = new Runner({ store, flows: [take] })
  const { threadId } = await runner.run(take).result
  const answer = 'x'.repeat(SIZE)
  const before = process.memoryUsage().rss

  await runner.answer(threadId, { answer })
  const { status, output } = await runner.resume(threadId).result
  const grown = process.memoryUsage().rss - before

  expect([status, output]).toEqual(['completed', SIZE])
  expect(grown).toBeLessThan(12 * SIZE)
  await store.close()
})

test('an answer of 100,000 levels is refused, and the question can be answered still', async () => {
  const runner = new Runner({ store: memoryStore(), flows: [take] })
  const { threadId } = await runner.run(take).result
  const answer: unknown = JSON.parse(deepList(100_000))

  await expect(runner.answer(threadId, { answer })).rejects.toMatchObject({
    message: expect.stringContaining('levels deep'),
  })
  await expect(runner.resume(threadId, { answer }).result).rejects.toMatchObject({
    message: expect.stringContaining('levels deep'),
  })
  expect((await runner.resume(threadId, { answer: 'ok' }).result).output).toBe(2)
})
