import { expect, test } from 'vitest'

import { renderSuspended } from '../../../src/cli/render/outcome.ts'
import { question } from '../../support/question.ts'
import { testView } from '../../support/view.ts'

const suspended = (message: string): string[] =>
  renderSuspended(
    { threadId: '7f3k9q2m4d', interrupts: [question({ message })], hints: false },
    testView(),
  )

test('a question is told whole when a run stops at it', () => {
  expect(suspended('Deploy build 4821 to production?')).toEqual([
    '⏸ Suspended at node:ask: approval "Deploy build 4821 to production?"',
  ])
})

test('a very long question is cut, with where to read the rest', () => {
  const [line = '', ...rest] = suspended('so long a text '.repeat(1_500))

  expect(line.length).toBeLessThan(500)
  expect(line).toMatch(/…$/u)
  expect(rest).toEqual(['  Read all of it: hexagon show 7f3k9q2m4d'])
})
