import { describe, expect, test } from 'vitest'

import { flow, interruptForApproval, interruptForInput, Runner } from '../../src/index.ts'
import { answering, manualClock, memoryStore } from '../../src/testing/index.ts'

const release = flow('release', async () => {
  const notes = await interruptForInput('Notes?', { key: 'notes' })
  return (await interruptForApproval(`Publish "${notes}"?`)) ? notes : 'kept'
})

describe('answering', () => {
  test('answers by key and by message', async () => {
    const onInterrupt = answering({ notes: 'first', 'Publish "first"?': true })

    const result = await new Runner({ onInterrupt }).invoke(release)

    expect(result).toMatchObject({ status: 'completed', output: 'first' })
  })

  test('answers by a function', async () => {
    const onInterrupt = answering(({ kind }) => (kind === 'approval' ? false : 'text'))

    const result = await new Runner({ onInterrupt }).invoke(release)

    expect(result.output).toBe('kept')
  })

  test('refuses a question nobody thought of', async () => {
    const onInterrupt = answering({ notes: 'first' })

    const run = new Runner({ onInterrupt }).invoke(release)

    await expect(run).rejects.toMatchObject({ code: 'E2150' })
  })
})

describe('manualClock', () => {
  test('makes a deadline pass without waiting for it', async () => {
    const { clock, advance } = manualClock()
    const store = memoryStore({ clock })
    const asks = flow('asks', () => interruptForApproval('Go?', { timeout: '2h', default: false }))
    const runner = new Runner({ store, flows: [asks], services: { clock } })
    const { threadId } = await runner.invoke(asks)

    advance(2 * 3_600_000)
    const results = await runner.tick()

    expect(results.get(threadId)).toMatchObject({ status: 'completed', output: false })
  })
})
