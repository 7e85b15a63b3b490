import { expect, test } from 'vitest'

import { createPromptHandler } from '../../../src/cli/prompt/handler.ts'
import type { Interrupt } from '../../../src/core/interrupt.ts'
import { DOUBT_CHOICES } from '../../../src/runtime/doubt-answer.ts'
import { question } from '../../support/question.ts'
import { fakeTerminal, type Reply } from '../../support/terminal.ts'

const doubt: Interrupt = question({
  id: 'i_doubt',
  kind: 'doubt',
  danger: true,
  message: 'Did the step "charge" happen?',
  choices: DOUBT_CHOICES,
  payload: {
    step: 'charge',
    args: { amount: 12 },
    began: '2026-11-30T08:59:00.000Z',
    why: 'It began, and no result of it was saved.',
    idempotencyKey: 't/pay~1/["step","charge"]',
  },
})

async function ask(
  replies: Reply[],
  edits: string[] = [],
): Promise<{ decision: unknown; shown: string }> {
  const terminal = fakeTerminal({ replies, edits })
  const handler = createPromptHandler(terminal, { flow: 'flows/pay.ts' })
  const context = { signal: new AbortController().signal, check: async () => [] }
  const decision = await handler([doubt], context)
  return { decision, shown: terminal.lines.join('\n') }
}

test.each([
  ['It happened', 'happened'],
  ['It did not happen', 'run'],
  ['Fail', 'fail'],
])('a step in doubt is decided by "%s" and the id of its thread', async (name, answer) => {
  const { decision } = await ask([{ pick: name }, { type: '7f3k' }])

  expect(decision).toMatchObject({ answers: { i_doubt: answer }, source: { via: 'prompt' } })
})

test('a step in doubt is decided by nothing that is pressed by accident', async () => {
  const { decision } = await ask(['enter'])

  expect(decision).toBe('defer')
})

test('a step in doubt may be given its result', async () => {
  const { decision } = await ask(
    [{ pick: 'It happened, with a result… (JSON, editor)' }, { type: '7f3k' }],
    ['{"id":"ch_1"}'],
  )

  expect(decision).toMatchObject({
    answers: { i_doubt: { happened: true, result: { id: 'ch_1' } } },
  })
})

test('a step in doubt is shown with what it was about to do, when, and its key', async () => {
  const { shown } = await ask(['enter'])

  expect(shown).toContain('In doubt')
  expect(shown).toContain('Did the step "charge" happen?')
  expect(shown).toContain('began   2026-11-30T08:59:00.000Z (')
  expect(shown).toContain('why     It began, and no result of it was saved.')
  expect(shown).toContain('key     t/pay~1/["step","charge"]')
  expect(shown).toMatch(/args {4}\{\n.* {9}"amount": 12\n.* {8}\}/u)
})
