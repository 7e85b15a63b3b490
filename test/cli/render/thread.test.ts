import { describe, expect, test } from 'vitest'

import { renderThread } from '../../../src/cli/render/thread.ts'
import type { ThreadView } from '../../../src/core/command.ts'
import { choices, question } from '../../support/question.ts'
import { testView } from '../../support/view.ts'

const shape = {
  name: 'deploy',
  nodes: [
    { name: 'review', kind: 'function' },
    { name: 'tools', kind: 'function' },
  ],
  edges: [
    { from: 'review', to: 'rollout', kind: 'branch' },
    { from: 'review', to: '__end__', kind: 'branch' },
  ],
}

const thread: ThreadView = {
  threadId: '7f3k9q2m4d',
  flow: 'deploy',
  status: 'suspended',
  version: 3,
  steps: 2,
  createdAt: '2026-11-30T10:00:00.000Z',
  updatedAt: '2026-11-30T11:58:00.000Z',
  input: { version: '1.9.0' },
  state: { log: ['built'] },
  next: ['review'],
  tasks: [{ id: 't1', node: 'review', status: 'parked', step: 3, interrupts: ['i_0000000001'] }],
  interrupts: [
    question({
      address: [{ type: 'node', id: 'review' }],
      message: 'Deploy build 4821 to production?',
      payload: { service: 'checkout' },
      openedAt: '2026-11-30T11:58:00.000Z',
      expiresAt: '2026-11-30T14:00:00.000Z',
    }),
  ],
  answered: [
    {
      id: 'i_0',
      ordinal: 1,
      status: 'consumed',
      message: 'Build?',
      value: true,
      by: 'ann',
      at: '2026-11-30T11:00:00.000Z',
      source: { via: '--yes', unseen: true },
    },
    { id: 'i_1', ordinal: 2, status: 'expired', message: 'Test?' },
  ],
  meta: { format: 1, flowFile: 'flows/deploy.ts', by: 'ann', cwd: '/p', shape },
}

function show(given: Partial<ThreadView>, detail = { state: false, hints: true }): string {
  return ['', ...renderThread({ ...thread, ...given }, detail, testView()), ''].join('\n')
}

describe('a thread', () => {
  test('names the tasks of a fan-out by their keys', () => {
    const task = { node: 'pay', status: 'ready', step: 2, interrupts: [] } as const
    const shown = show({
      tasks: [
        { ...task, id: 'a', key: 'invoice-7' },
        { ...task, id: 'b', key: '1' },
      ],
    })

    expect(shown).toContain('  · pay#invoice-7  ready  step 2\n  · pay#1          ready  step 2\n')
  })

  test('shows what a question asked before it changed', () => {
    const changed = question({
      message: 'Pay 90?',
      changedFrom: { message: 'Pay 80?', payload: undefined, digest: 'd' },
    })

    const shown = show({ interrupts: [changed] })

    expect(shown).toContain('This question changed since it was answered')
    expect(shown).toContain('│ - Pay 80?\n')
    expect(shown).toContain('│ + Pay 90?\n')
  })

  test('says where it stands, what it asks and what comes next', () => {
    expect(show({})).toMatchInlineSnapshot(`
      "
      deploy  7f3k9q2m4d  suspended
        file       flows/deploy.ts
        started    2 hr. ago by ann
        updated    2 min. ago · version 3 · 2 steps
        runs in    /p

      ◆ 1 open question
        #1  approval  i_0000000001  node:review · 2 min. ago · expires in 2 hr.
            Deploy build 4821 to production?
            │ {
            │   "service": "checkout"
            │ }
            on approval   review goes on, then rollout or the end
            answer        hexagon resume i_0000000001 --digest d0d0d0d0d0d0d0d0 --approve

      ✔ 2 closed
        #1  approved (unseen, --yes) by ann, 1 hr. ago  Build?
        #2  expired  Test?

      Tasks
        ◆ review  parked  step 3

      Next: review
      ▶ hexagon resume 7f3k9q2m4d
      "
    `)
  })

  test('shows state and input when asked to', () => {
    const text = show({}, { state: true, hints: false })

    expect(text).toContain('State\n  │ {\n  │   "log": [')
    expect(text).toContain('Input\n  │ {\n  │   "version": "1.9.0"')
    expect(text).not.toContain('hexagon resume')
  })

  test('that failed says why, and how to try again', () => {
    const text = show({
      status: 'failed',
      interrupts: [],
      error: { name: 'NodeError', message: 'node:rollout failed: 503', code: 'E1401' },
      tasks: [
        {
          id: 't',
          node: 'rollout',
          status: 'failed',
          step: 4,
          interrupts: [],
          error: { name: 'Error', message: '503' },
        },
      ],
    })

    expect(text).toContain('✖ node:rollout failed: 503  [E1401]')
    expect(text).toContain('✖ rollout  failed: 503  step 4')
    expect(text).toContain('▶ hexagon resume 7f3k9q2m4d --retry')
  })

  test('that is done shows what came out', () => {
    const text = show({
      status: 'completed',
      interrupts: [],
      tasks: [],
      next: [],
      output: { url: 'x' },
    })

    expect(text).toContain('Output\n  │ {\n  │   "url": "x"\n  │ }')
    expect(text).not.toContain('hexagon resume')
  })

  test('says who holds it and where it comes from', () => {
    const text = show({
      holder: { pid: 4242, host: 'box', since: '2026-11-30T11:59:00.000Z' },
      meta: {
        format: 1,
        parent: { threadId: 'q81z', version: 2 },
        stopped: { by: 'SIGINT', at: '2026-11-30T11:59:00.000Z' },
      },
    })

    expect(text).toContain('held by    pid 4242 on box since 1 min. ago')
    expect(text).toContain('fork of    q81z at version 2')
    expect(text).toContain('stopped    1 min. ago by SIGINT')
  })

  test('says what is in doubt after a repair', () => {
    const inDoubt = { afterVersion: 7, at: '2026-11-30T11:59:00.000Z', kept: [] }
    const text = show({ meta: { format: 1, inDoubt } })

    expect(text).toContain('in doubt   what came after version 7: it was restored 1 min. ago')
  })

  test('says which tool runs on approval', () => {
    const address = [
      { type: 'node', id: 'tools' },
      { type: 'tool', id: 'pay', subId: 'call_1' },
    ]

    expect(show({ interrupts: [question({ address })] })).toContain(
      'on approval   the tool pay runs, tools goes on, then it decides',
    )
  })

  test('lists the options of a choice', () => {
    const asked = question({ kind: 'choice', choices: choices('a', 'b\u001b') })

    expect(show({ interrupts: [asked] })).toContain('      · a\n      · b␛\n')
  })

  test('has exact times in a pipe', () => {
    const lines = renderThread(thread, { state: false, hints: false }, testView({ isTTY: false }))

    expect(lines.join('\n')).toContain('started    2026-11-30T10:00:00.000Z by ann')
  })

  test('makes what the flow says harmless', () => {
    const hostile = '\u001b[2J\u009b'
    const text = show(
      {
        flow: hostile,
        state: { a: hostile },
        output: hostile,
        next: [hostile],
        error: { name: 'Error', message: hostile },
        interrupts: [
          question({
            message: hostile,
            payload: hostile,
            address: [{ type: 'node', id: hostile }],
          }),
        ],
        answered: [
          {
            id: 'x',
            ordinal: 1,
            status: 'answered',
            message: hostile,
            value: hostile,
            by: hostile,
          },
        ],
      },
      { state: true, hints: true },
    )

    // oxlint-disable-next-line no-control-regex -- control characters are what it is about
    expect(text).not.toMatch(/[\u001b\u009b]/u)
  })
})
