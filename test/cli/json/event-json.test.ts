import { describe, expect, test } from 'vitest'

import { eventJson } from '../../../src/cli/json/event-json.ts'
import { interruptJson } from '../../../src/cli/json/interrupt-json.ts'
import { JsonStream } from '../../../src/cli/json/json-stream.ts'
import type { RunEvent, RunEventBody } from '../../../src/core/event.ts'
import { choices, question } from '../../support/question.ts'

const time = '2026-11-30T09:00:00.000Z'
const error = { name: 'Error', message: 'no' }

function event(body: RunEventBody): RunEvent {
  return { ...body, threadId: '7f3k', address: [{ type: 'node', id: 'a' }], time, seq: 1 }
}

describe('an event has its dotted name', () => {
  test.each<[string, RunEventBody]>([
    ['run.started', { type: 'run:start', flow: 'deploy', resumed: false }],
    ['run.resumed', { type: 'run:start', flow: 'deploy', resumed: true }],
    ['node.started', { type: 'node:start', node: 'a', step: 1, attempt: 1 }],
    ['node.completed', { type: 'node:end', node: 'a', step: 1, ms: 2, outcome: 'finished' }],
    ['node.waiting', { type: 'node:end', node: 'a', step: 1, ms: 2, outcome: 'parked' }],
    ['node.failed', { type: 'node:end', node: 'a', step: 1, ms: 2, outcome: 'failed', error }],
    ['node.abandoned', { type: 'node:end', node: 'a', step: 1, ms: 2, outcome: 'abandoned' }],
    ['node.retry', { type: 'node:retry', node: 'a', attempt: 1, delayMs: 5, error }],
    ['step.completed', { type: 'step:end', name: 's', replayed: false, ms: 1 }],
    ['message', { type: 'message', delta: 'Hel' }],
    ['tool.started', { type: 'tool:start', tool: 'pay', callId: 'c', args: {} }],
    ['tool.completed', { type: 'tool:end', tool: 'pay', callId: 'c', result: 1 }],
    ['tool.failed', { type: 'tool:end', tool: 'pay', callId: 'c', error }],
    ['custom', { type: 'custom', value: 1 }],
    ['warning', { type: 'warning', code: 'E2109', message: 'm' }],
    ['interrupt', { type: 'interrupt:open', interrupt: question() }],
    ['answer', { type: 'interrupt:answered', id: 'i_1', value: true }],
    ['interrupt.closed', { type: 'interrupt:closed', id: 'i_1', reason: 'expired' }],
    ['checkpoint', { type: 'checkpoint', version: 3, label: 'superstep 1' }],
    ['run.ended', { type: 'run:end', status: 'completed' }],
  ])('%s', (name, body) => {
    expect(eventJson(event(body))).toMatchObject({ v: 1, type: name, ts: time, thread: '7f3k' })
  })
})

test('values that JSON can not say are kept in events', () => {
  const { value } = eventJson(event({ type: 'custom', value: new Date(time) }))
  expect(JSON.stringify(value)).toContain(time)
  expect(value).not.toBe(time)
})

test('a question has every name of its contract', () => {
  expect(interruptJson(question({ kind: 'choice', choices: choices('eu', 2) }))).toEqual({
    id: 'i_0000000001',
    key: 'node:ask',
    address: [{ type: 'node', id: 'ask' }],
    kind: 'choice',
    message: 'Go on?',
    payload: 'Go on?',
    options: ['eu', 2],
    choices: [
      { value: 'eu', name: 'eu' },
      { value: 2, name: '2' },
    ],
    default: null,
    schema: null,
    secret: false,
    answered: false,
    createdAt: '2026-11-30T09:00:00.000Z',
    openedAt: '2026-11-30T09:00:00.000Z',
    expiresAt: null,
    digest: 'd0d0d0d0d0d0d0d0',
    changedFrom: null,
    threadId: '7f3k9q2m4d',
    ordinal: 1,
    danger: false,
    multiline: false,
    metadata: null,
  })
})

test('the default of a secret question is not shown', () => {
  expect(
    interruptJson(question({ kind: 'input', secret: true, default: 'hunter2' }))['default'],
  ).toBe('••••')
})

test('a stream numbers its lines from 0', () => {
  const lines: string[] = []
  const stream = new JsonStream(
    (text) => lines.push(text),
    () => time,
  )

  stream.version('0.1.0')
  stream.log('stdout', 'hello')
  stream.result({ v: 1, status: 'completed' })

  expect(lines).toEqual([
    `{"v":1,"type":"version","seq":0,"hexagon":"0.1.0","ts":"${time}"}\n`,
    `{"v":1,"type":"log","seq":1,"ts":"${time}","stream":"stdout","text":"hello"}\n`,
    `{"v":1,"type":"result","seq":2,"status":"completed","ts":"${time}"}\n`,
  ])
})
