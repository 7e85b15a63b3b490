import { describe, expect, test } from 'vitest'

import { renderPending, type WaitingThread } from '../../../src/cli/render/pending.ts'
import { renderTable } from '../../../src/cli/render/table.ts'
import { choices, question } from '../../support/question.ts'
import { testView } from '../../support/view.ts'

const node = (id: string): { type: string; id: string } => ({ type: 'node', id })

const deploy: WaitingThread = {
  id: '7f3k9q2m4d',
  flow: 'deploy',
  status: 'suspended',
  updatedAt: '2026-11-30T11:58:00.000Z',
  answered: 0,
  interrupts: [
    question({
      message: 'Deploy build 4821 to production?',
      address: [node('review')],
      openedAt: '2026-11-30T11:58:00.000Z',
    }),
  ],
}
const triage: WaitingThread = {
  ...deploy,
  id: 'q81z000000',
  flow: 'triage',
  interrupts: [
    question({
      kind: 'choice',
      message: 'Which team owns this?',
      choices: choices(...Array.from({ length: 12 }, (_, index) => `team ${index}`)),
      address: [node('route')],
      openedAt: '2026-11-29T10:00:00.000Z',
    }),
  ],
}
const agent: WaitingThread = {
  ...deploy,
  id: 'm4d2000000',
  flow: 'agent',
  answered: 1,
  interrupts: ['call_1', 'call_2'].map((subId) =>
    question({
      id: `i_${subId}`,
      message: 'Pay?',
      address: [node('tools'), { type: 'tool', id: 'pay', subId }],
      openedAt: '2026-11-09T10:00:00.000Z',
    }),
  ),
}

function list(threads: readonly WaitingThread[], view = testView()): string {
  return ['', ...renderPending(threads, [], view).lines, ''].join('\n')
}

describe('what waits', () => {
  test('B88 says node, question, kind, choices and age', () => {
    expect(list([deploy, triage, agent], testView({ columns: 100 }))).toMatchInlineSnapshot(`
      "
      ID    FLOW    QUESTION                                       WHERE        AGE
      7f3k  deploy  approval  Deploy build 4821 to production?     node:review  2 min. ago
      q81z  triage  choice    Which team owns this?  (12 options)  node:route   yesterday
      m4d2  agent   2 open    1 of 3 answered                      node:tools   3 wk. ago
      "
    `)
  })

  test('fits 80 columns', () => {
    expect(list([deploy, triage, agent])).toMatchInlineSnapshot(`
      "
      ID    FLOW    QUESTION                                   WHERE        AGE
      7f3k  deploy  approval  Deploy build 4821 to productio…  node:review  2 min. ago
      q81z  triage  choice    Which team owns this?  (12 opt…  node:route   yesterday
      m4d2  agent   2 open    1 of 3 answered                  node:tools   3 wk. ago
      "
    `)
  })

  test('leaves out columns on a narrow screen', () => {
    const heads = [69, 49].map(
      (columns) => renderPending([deploy], [], testView({ columns })).lines[0],
    )

    expect(heads[0]).not.toContain('WHERE')
    expect(heads[1]).not.toContain('FLOW')
  })

  test('is blocks on a very narrow screen', () => {
    expect(list([deploy], testView({ columns: 36 }))).toMatchInlineSnapshot(`
      "
      7f3k  deploy
        approval Deploy build 4821 to pro…
        node:review · 2 min. ago
      "
    `)
  })

  test('never is wider than the screen', () => {
    for (const columns of [100, 80, 60, 45, 36]) {
      for (const line of renderPending([deploy, triage, agent], [], testView({ columns })).lines) {
        expect(line.length).toBeLessThanOrEqual(columns)
      }
    }
  })

  test('shows whole questions when asked to', () => {
    const long = { ...deploy, interrupts: [question({ message: 'word '.repeat(40).trim() })] }
    const lines = renderPending([long], [], { ...testView(), full: true }).lines

    expect(lines.join(' ').match(/word/gu)).toHaveLength(40)
  })

  test('is for programs in a pipe', () => {
    expect(renderPending([deploy, agent], [], testView({ isTTY: false }))).toEqual({
      hint: undefined,
      lines: [
        '7f3k9q2m4d\tdeploy\tapproval Deploy build 4821 to production?\tnode:review\t2026-11-30T11:58:00.000Z',
        'm4d2000000\tagent\t2 open 1 of 3 answered\tnode:tools\t2026-11-09T10:00:00.000Z',
      ],
    })
  })

  test('says who runs a thread, and which file is damaged', () => {
    const busy = { ...deploy, holder: { pid: 4242 } }

    const { lines, hint } = renderPending([busy], [{ file: 'threads/abcd0.log' }], testView())

    expect(lines[1]).toContain('running (pid 4242)')
    expect(lines[2]).toBe('abcd  ⚠ damaged  (hexagon doctor)')
    expect(hint).toBeUndefined()
  })

  test('says what to type next', () => {
    expect(renderPending([deploy, triage], [], testView()).hint).toBe(
      '2 threads wait for an answer. Answer one: hexagon resume q81z',
    )
  })

  test.each([
    [{ ...deploy, interrupts: [], answered: 1 }, '1 answered, not continued yet'],
    [{ ...deploy, interrupts: [], status: 'completed' }, 'completed'],
    [
      { ...deploy, interrupts: [question({ kind: 'input', message: 'Key?', secret: true })] },
      'Key?  (secret input)',
    ],
    [
      {
        ...triage,
        interrupts: [question({ kind: 'choice', message: 'Which?', choices: choices('a', 'b') })],
      },
      'Which?  (a, b)',
    ],
    [{ ...agent, answered: 0 }, '2 open    Pay? and 1 more'],
  ])('tells %#', (thread, text) => {
    expect(list([thread], testView({ columns: 120 }))).toContain(text)
  })

  test('makes what the flow says harmless', () => {
    const hostile = {
      ...deploy,
      flow: 'x\u001b[2J',
      interrupts: [question({ message: 'a\n\u001b]0;b\u0007' })],
    }

    expect(list([hostile])).not.toContain('\u001b')
  })
})

test('a table measures wide characters', () => {
  const rows = [
    ['重建', 'x'],
    ['ab', 'y'],
  ]

  expect(renderTable([{ title: 'A' }, { title: 'B' }], rows, testView())).toEqual([
    'A     B',
    '重建  x',
    'ab    y',
  ])
})
