import { describe, expect, test } from 'vitest'

import { fullText, renderQuestion } from '../../../src/cli/render/question.ts'
import { renderRecord } from '../../../src/cli/render/record.ts'
import { question } from '../../support/question.ts'
import { testView } from '../../support/view.ts'

const position = { flow: 'flows/deploy.ts', index: 1, total: 1, viewable: true }

function draw(given: Parameters<typeof question>[0], view = testView()): string {
  return ['', ...renderQuestion(question(given), position, view).lines, ''].join('\n')
}

describe('the head of a question', () => {
  test('has its place on the right', () => {
    expect(draw({ message: 'Deploy?' })).toMatchInlineSnapshot(`
      "

      ◆ Approval needed                            flows/deploy.ts · node:ask · 1 of 1
        Deploy?

        │ Go on?

      "
    `)
  })

  test('has its place below the title where the screen is narrow', () => {
    expect(draw({ message: 'Deploy build 4821 of checkout-service?' }, testView({ columns: 40 })))
      .toMatchInlineSnapshot(`
      "

      ◆ Approval needed
        flows/deploy.ts · node:ask · 1 of 1
        Deploy build 4821 of checkout-service?

        │ Go on?

      "
    `)
  })

  test('says when it expires and what then', () => {
    expect(draw({ expiresAt: '2026-11-30T14:00:00.000Z', default: false })).toContain(
      '⏱ expires in 2 hr., then its default counts',
    )
  })

  test('says that the question is dangerous', () => {
    expect(draw({ danger: true })).toContain('◆ Approval needed  ⚠ danger')
  })

  test('shows what changed since it was answered', () => {
    const changedFrom = { message: 'Publish 1.2?', payload: { to: 'all' }, digest: 'x' }

    expect(draw({ message: 'Publish 1.3?', payload: { to: 'all' }, changedFrom }))
      .toMatchInlineSnapshot(`
      "

      ◆ Approval needed                            flows/deploy.ts · node:ask · 1 of 1
        Publish 1.3?
        ⚠ This question changed since it was answered; that answer is void.
        │ - Publish 1.2?
        │ + Publish 1.3?

        │ {
        │   "to": "all"
        │ }

      "
    `)
  })

  test('makes everything of the flow harmless', () => {
    const hostile = 'x\u001b[2J\u009b\u202e'
    const drawn = draw({
      message: hostile,
      payload: hostile + hostile,
      address: [{ type: 'node', id: hostile }],
      changedFrom: { message: hostile, payload: hostile, digest: '' },
    })

    // oxlint-disable-next-line no-control-regex -- control characters are what it is about
    expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u)
  })

  test('is sentences for a line terminal', () => {
    expect(draw({ message: 'Deploy?', payload: { a: 1 } }, testView({ plain: true })))
      .toMatchInlineSnapshot(`
      "

      [hexagon] Approval needed: flows/deploy.ts, node:ask, question 1 of 1
      Deploy?
      {
        "a": 1
      }
      "
    `)
  })
})

describe('a payload', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')

  test('is cut so that the menu stays on the screen', () => {
    const drawn = renderQuestion(question({ payload: lines }), position, testView())

    expect(drawn.cut).toBe(true)
    expect(drawn.lines.length).toBeLessThanOrEqual(24 - 9)
    expect(drawn.lines.at(-2)).toMatch(/^ {2}│ … \d+ more lines \(choose "View full content"\)$/u)
  })

  test('that is one long line says how much of it is missing', () => {
    const drawn = renderQuestion(
      question({ payload: { text: 'x'.repeat(760_000) } }),
      position,
      testView(),
    )

    expect(drawn.lines.at(-2)).toMatch(/ (?:9,99|10,00)\d more lines /u)
  })

  test('says how to see the rest where there is no menu', () => {
    const drawn = renderQuestion(
      question({ payload: lines }),
      { ...position, viewable: false },
      testView(),
    )

    expect(drawn.lines.at(-2)).toContain('(hexagon show i_0000000001)')
  })

  test('uses a tall screen', () => {
    const drawn = renderQuestion(question({ payload: lines }), position, testView({ rows: 200 }))

    expect(drawn.cut).toBe(false)
  })

  test('of a megabyte is drawn in a moment', () => {
    const start = performance.now()

    renderQuestion(question({ payload: { text: 'word '.repeat(200_000) } }), position, testView())

    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('that repeats the message is not shown', () => {
    expect(
      renderQuestion(question({ message: 'a', payload: 'a' }), position, testView()).lines,
    ).toHaveLength(4)
  })

  test('is whole in the pager', () => {
    expect(fullText(question({ message: 'm', payload: lines }))).toContain('line 99')
  })
})

describe('the record of an answer', () => {
  test.each([
    [{}, { value: true }, '✔ Approved  node:ask'],
    [{}, { value: false, reason: 'too risky\u001b' }, '✖ Rejected  node:ask: too risky␛'],
    [
      { detail: true },
      { value: { approved: true, edited: {} } },
      '✔ Approved with changes  node:ask',
    ],
    [{ detail: true }, { value: { approved: false, reason: 'no' } }, '✖ Rejected  node:ask: no'],
    [
      { kind: 'choice', choices: [{ value: 2, name: 'two' }] },
      { value: 2 },
      '✔ Chosen  node:ask: two',
    ],
    [{ kind: 'input' }, { value: 'a\nb' }, '✔ Answered  node:ask: a b'],
    [{ kind: 'input', secret: true }, { value: 's3cret' }, '✔ Answered  node:ask: ••••'],
    [{ kind: 'form' }, { value: { a: 1, b: 2 } }, '✔ Answered  node:ask: 2 fields'],
    [{ kind: 'custom' }, { value: { a: 1 } }, '✔ Answered  node:ask: {"a":1}'],
    [{ kind: 'breakpoint' }, { value: true }, '✔ Continued  node:ask'],
  ] as const)('of %j with %j is one line', (given, answer, line) => {
    expect(renderRecord(question(given), answer, testView())).toBe(line)
  })

  test('fits the screen', () => {
    const line = renderRecord(
      question({ kind: 'input' }),
      { value: 'word '.repeat(50) },
      testView(),
    )

    expect(line.length).toBeLessThanOrEqual(80)
  })
})
