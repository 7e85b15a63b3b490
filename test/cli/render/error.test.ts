import { describe, expect, test } from 'vitest'

import { renderError } from '../../../src/cli/render/error.ts'
import { renderLeft, renderSuspended } from '../../../src/cli/render/outcome.ts'
import type { Viewable } from '../../../src/cli/render/view.ts'
import { HexagonError, NodeError, UnknownThreadError } from '../../../src/core/errors.ts'
import { question } from '../../support/question.ts'
import { testView } from '../../support/view.ts'

const { paint, symbols } = testView()
const screen = { isTTY: true, columns: 80, rows: 24, paint }
const terminal: Viewable = { out: screen, err: screen, symbols, plain: false }

function render(error: unknown, verbosity: 0 | 1 | 2 = 0): string[] {
  return renderError(error, { verbosity }, terminal)
}

describe('an error', () => {
  test('says what happened, its code and what to do', () => {
    expect(render(new UnknownThreadError('7f9x', ['7f3k', 'q81z']))).toEqual([
      '✖ No thread "7f9x"  [E1301]',
      '  Near: 7f3k, q81z',
    ])
  })

  test('never breaks the command one is to type', () => {
    const hint = `Retry:\nhexagon resume 7f3k9q2m4d --interrupt i_0000000001 --digest ${'d'.repeat(32)} --approve`

    expect(render(new HexagonError('E1', 'x', { hint })).slice(1)).toEqual(
      hint.split('\n').map((line) => `  ${line}`),
    )
  })

  test('is wrapped with its code at the end', () => {
    const lines = render(new HexagonError('E1499', `word ${'word '.repeat(20)}end`))

    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^ {2}word .* end {2}\[E1499\]$/u)
  })

  test('shows the place in the file', () => {
    const frame = 'flows/deploy.ts:3:9  Expected "}"\n  3 │ const x: = 3\n    │          ^'
    const error = new HexagonError('E1107', 'long', {
      details: { summary: 'flows/deploy.ts does not compile.', frame },
    })

    expect(render(error)).toEqual([
      '✖ flows/deploy.ts does not compile.  [E1107]',
      '  flows/deploy.ts:3:9  Expected "}"',
      '    3 │ const x: = 3',
      '      │          ^',
    ])
  })

  test('has no stack unless twice verbose', () => {
    const error = new NodeError([{ type: 'node', id: 'x' }], new Error('boom'))

    expect(render(error, 1)).toEqual(['✖ node:x failed: boom  [E1401]'])
    expect(render(error, 2).join('\n')).toMatch(/ {2}at .*[^]*Caused by Error: boom\n\s+at /u)
  })

  test.each([
    [new Error('a\u001b[2Jb'), '✖ a␛[2Jb'],
    [new TypeError(''), '✖ TypeError'],
    ['thrown text', '✖ thrown text'],
  ])('of any kind is one: %s', (error, line) => {
    expect(render(error)).toEqual([line])
  })
})

describe('the words on leaving', () => {
  const review = question({ address: [{ type: 'node', id: 'review' }] })
  const waiting = { threadId: '7f3k9q2m4d', interrupts: [review], hints: true }
  const answer = 'hexagon resume i_0000000001 --digest d0d0d0d0d0d0d0d0 --approve'

  test('say what is saved and how to go on', () => {
    expect(renderLeft({ kind: 'deferred', via: 'esc' }, waiting, testView())).toEqual([
      '⏸ Saved. Waiting for an approval at node:review.',
      '  Continue:  hexagon resume 7f3k9q2m4d',
      `  Answer:    ${answer}`,
    ])
  })

  test.each([
    [
      { kind: 'deferred', via: 'timeout' },
      '⏸ No answer for 15 min. Saved. Waiting for an approval at node:review.',
    ],
    [
      { kind: 'deferred', via: 'esc', typed: true },
      '⏸ Saved. Waiting for an approval at node:review. The typed text was not kept.',
    ],
    [{ kind: 'interrupted' }, 'Interrupted. The question is still open: hexagon resume 7f3k9q2m4d'],
    [
      { kind: 'stopped', signal: 'SIGTERM' },
      'Stopped. Everything is saved: hexagon resume 7f3k9q2m4d',
    ],
  ] as const)('after %j are the right ones', (left, line) => {
    expect(renderLeft(left, { ...waiting, promptTimeoutMs: 900_000 }, testView())[0]).toBe(line)
  })

  test('leave out what nobody reads in a script', () => {
    const quiet = { ...waiting, hints: false }

    expect(renderLeft({ kind: 'deferred', via: 'esc' }, quiet, testView())).toHaveLength(1)
    expect(renderLeft({ kind: 'interrupted' }, quiet, testView())).toEqual([
      'Interrupted. The question is still open.',
    ])
    expect(renderSuspended(quiet, testView())).toHaveLength(1)
  })

  test('of a suspended run say what is asked', () => {
    expect(renderSuspended(waiting, testView())).toEqual([
      '⏸ Suspended at node:review: approval "Go on?"',
      `  ${answer}`,
    ])
  })

  test('of several questions name each', () => {
    const other = question({ id: 'i_2', kind: 'choice', message: 'Which?' })

    expect(renderSuspended({ ...waiting, interrupts: [review, other] }, testView())).toEqual([
      '⏸ Suspended: 2 questions are open.',
      '  · node:review: approval "Go on?"',
      `    ${answer}`,
      '  · node:ask: choice "Which?"',
      '    hexagon resume i_2 --digest d0d0d0d0d0d0d0d0 --choose <option>',
    ])
  })

  test('of many questions end somewhere', () => {
    const many = Array.from({ length: 15 }, (_, index) => question({ id: `i_${index}` }))

    expect(renderSuspended({ ...waiting, interrupts: many }, testView()).at(-1)).toBe(
      '  … and 5 more',
    )
  })

  test('of a run without questions still say how to go on', () => {
    expect(renderSuspended({ ...waiting, interrupts: [] }, testView())).toEqual([
      '⏸ Suspended.',
      '  hexagon resume 7f3k9q2m4d',
    ])
  })
})
