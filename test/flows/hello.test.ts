import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { Runner } from 'hexagon'
import { memoryStore } from 'hexagon/stores'
import { expect, test, vi } from 'vitest'

import hello from '../../flows/hello.ts'

test('the hello flow prints its text once, after a yes', async () => {
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const runner = new Runner({ store: memoryStore(), flows: [hello], replay: 'always' })
  const { threadId, interrupts } = await runner.invoke(hello, { name: 'Ann' })
  expect(interrupts).toMatchObject([{ kind: 'approval', message: 'Send "Hello, Ann!"?' }])
  expect(said).not.toHaveBeenCalled()

  const result = await runner.resume(threadId, { answer: true }).result

  expect(result).toMatchObject({ status: 'completed', state: { sent: true } })
  expect(said.mock.calls).toEqual([['Hello, Ann!']])
  said.mockRestore()
})

test('the hello flow prints nothing after a no', async () => {
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const runner = new Runner({ store: memoryStore(), flows: [hello] })
  const { threadId } = await runner.invoke(hello)

  const result = await runner.resume(threadId, { answer: false }).result

  expect(result).toMatchObject({ status: 'completed', state: { sent: false } })
  expect(said).not.toHaveBeenCalled()
  said.mockRestore()
})

test('the hello flow has at most twelve lines', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../flows/hello.ts'), 'utf8')

  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
})
