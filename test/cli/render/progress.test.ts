import { describe, expect, test } from 'vitest'

import {
  createProgress,
  type Progress,
  type ProgressOptions,
} from '../../../src/cli/render/progress.ts'
import type { Address } from '../../../src/core/address.ts'
import type { RunEvent, RunEventBody } from '../../../src/core/event.ts'
import { question } from '../../support/question.ts'
import { NOON, testView } from '../../support/view.ts'

function start(options: Partial<ProgressOptions> = {}): {
  progress: Progress
  feed(body: RunEventBody, address?: Address): readonly string[]
} {
  const progress = createProgress({ view: testView(), verbosity: 0, ...options })
  let seq = 0
  return {
    progress,
    feed: (body, address = []) => {
      seq += 1
      const time = new Date(NOON + seq * 1000).toISOString()
      const event: RunEvent = { threadId: '7f3k9q2m4d', address, time, seq, ...body }
      return progress.lines(event)
    },
  }
}

const at = (node: string, subId?: string): Address => [
  { type: 'node', id: node, ...(subId === undefined ? {} : { subId }) },
]
const ended = (node: string, ms = 1204): RunEventBody => ({
  type: 'node:end',
  node,
  step: 1,
  ms,
  outcome: 'finished',
})
const begun = (node: string): RunEventBody => ({ type: 'node:start', node, step: 1, attempt: 1 })
const review = question({ address: at('review'), key: 'node:review' })

describe('a run for people', () => {
  test('is a line for each node and one for the end', () => {
    const { feed } = start({ nodes: ['build', 'rollout'] })

    const lines = [
      ...feed({ type: 'run:start', flow: 'deploy', resumed: false }),
      ...feed(begun('build'), at('build')),
      ...feed(ended('build'), at('build')),
      ...feed({ type: 'interrupt:open', interrupt: review }, at('review')),
      ...feed(
        { type: 'interrupt:answered', id: review.id, value: true, via: 'prompt', by: 'ann' },
        at('review'),
      ),
      ...feed(ended('review'), at('review')),
      ...feed(ended('rollout', 3000), at('rollout')),
      ...feed({ type: 'run:end', status: 'completed' }),
    ]

    expect(lines).toEqual([
      '▶ deploy  thread 7f3k9q2m4d',
      '  ✔ build        1.2 s',
      '  ◆ review       waiting for you',
      '  ✔ review       approved',
      '  ✔ rollout      3.0 s',
      '✔ Completed in 7.0 s',
    ])
  })

  test('gives each task of a fan-out its own answer', () => {
    const one = question({ id: 'i_1', address: at('review', 'one'), key: 'node:review:one' })
    const two = question({ id: 'i_2', address: at('review', 'two'), key: 'node:review:two' })
    const { feed } = start({ open: [one, two] })

    const lines = [
      ...feed({ type: 'interrupt:answered', id: 'i_1', value: true, by: 'ann' }),
      ...feed({ type: 'interrupt:answered', id: 'i_2', value: false, by: 'ann' }),
      ...feed(ended('review'), at('review', 'one')),
      ...feed(ended('review'), at('review', 'two')),
    ]

    expect(lines).toEqual(['  ✔ review#one   approved by ann', '  ✖ review#two   rejected by ann'])
  })

  test('says who said no, and why', () => {
    const { feed } = start({
      open: [review],
      continuedAt: 'node:review',
      reason: 'Freeze until Monday',
    })

    const lines = [
      ...feed({ type: 'run:start', flow: 'deploy', resumed: true }),
      ...feed(
        { type: 'interrupt:answered', id: review.id, value: false, via: 'flag', by: 'ann' },
        at('review'),
      ),
      ...feed(ended('review'), at('review')),
    ]

    expect(lines).toEqual([
      '▶ deploy  thread 7f3k9q2m4d (continued at node:review)',
      '  ✖ review       rejected by ann: Freeze until Monday',
    ])
  })

  test('says what failed, what is tried again and what was stopped', () => {
    const { feed } = start()
    const error = { name: 'Error', message: '503\u001b[2J', code: 'E1' }

    const lines = [
      ...feed({ type: 'node:retry', node: 'test', attempt: 1, delayMs: 2000, error }, at('test')),
      ...feed(
        { type: 'node:end', node: 'test', step: 1, ms: 1, outcome: 'failed', error },
        at('test'),
      ),
      ...feed({ type: 'node:end', node: 'slow', step: 1, ms: 1, outcome: 'abandoned' }, at('slow')),
      ...feed({ type: 'warning', code: 'W1', message: 'swallowed' }),
      ...feed({ type: 'run:end', status: 'failed' }),
    ]

    expect(lines).toEqual([
      '  ↻ test         503␛[2J  [E1]; again in 2.0 s (attempt 2)',
      '  ✖ test         failed: 503␛[2J  [E1]',
      '  · slow         stopped',
      '⚠ swallowed  [W1]',
      '✖ Failed after 0 ms',
    ])
  })

  test('says that a node waits once, however many questions it has', () => {
    const { feed } = start()

    const lines = [
      ...feed({ type: 'interrupt:open', interrupt: review }, at('review')),
      ...feed({ type: 'interrupt:open', interrupt: { ...review, id: 'i_2' } }, at('review')),
      ...feed(
        { type: 'node:end', node: 'review', step: 1, ms: 1, outcome: 'parked' },
        at('review'),
      ),
    ]

    expect(lines).toEqual(['  ◆ review       waiting for you'])
  })

  test('does not say again that a node waits while another of its questions is open', () => {
    const other = { ...review, id: 'i_2' }
    const parked = { type: 'node:end', node: 'review', step: 1, ms: 1, outcome: 'parked' } as const
    const { feed } = start({ open: [review, other] })

    expect(feed({ type: 'interrupt:answered', id: review.id, value: true })).toEqual([])
    expect(feed(parked, at('review'))).toEqual([])

    feed({ type: 'interrupt:answered', id: other.id, value: true })
    expect(feed(parked, at('review'))).toEqual(['  ◆ review       waiting for you'])
  })

  test('names nodes of graphs in graphs by their way', () => {
    const { feed } = start()

    const [line] = feed(ended('inner'), [
      ...at('outer'),
      { type: 'runnable', id: 'sub' },
      ...at('inner'),
    ])

    expect(line).toBe('  ✔ outer/sub/inner 1.2 s')
  })

  test('counts the tasks of a large fan-out instead of listing them', () => {
    const { feed } = start()

    const lines = Array.from({ length: 10_000 }, (_, index) =>
      feed(ended('item', 5), at('item', String(index))),
    ).flat()
    const rest = feed(ended('join'), at('join'))

    expect(lines).toHaveLength(20)
    expect(lines[0]).toBe('  ✔ item#0       5 ms')
    expect(rest).toEqual(['  … and 9,980 more', '  ✔ join         1.2 s'])
  })

  test('says what expired and what is not asked any more', () => {
    const other = { ...review, id: 'i_2' }
    const { feed } = start({ open: [review, other] })

    expect(feed({ type: 'interrupt:closed', id: review.id, reason: 'expired' })).toEqual([
      '  ⏱ review       expired unanswered',
    ])
    expect(feed({ type: 'interrupt:closed', id: other.id, reason: 'cancelled' })).toEqual([
      '  · review       not asked any more',
    ])
  })

  test('knows what runs at the moment', () => {
    const { feed, progress } = start()

    for (const node of ['a', 'b', 'c', 'd']) feed(begun(node), at(node))
    expect(progress.status).toBe('a, b, c and 1 more')
    for (const node of ['a', 'b', 'c']) feed(ended(node), at(node))
    expect(progress.status).toBe('d')
    feed({ type: 'interrupt:open', interrupt: { ...review, address: at('d') } })

    expect(progress.status).toBeUndefined()
  })

  test('tells steps, tools and words only when asked to', () => {
    const events: readonly RunEventBody[] = [
      { type: 'step:end', name: 'tag', replayed: true, ms: 1 },
      { type: 'tool:start', tool: 'pay', callId: 'c', args: { amount: 1 } },
      { type: 'tool:end', tool: 'pay', callId: 'c', result: 'done' },
      { type: 'tool:end', tool: 'pay', callId: 'c', error: { name: 'Error', message: 'no' } },
      { type: 'message', delta: 'Hello\nthere' },
      { type: 'custom', value: { a: 1 } },
      { type: 'checkpoint', version: 1, label: 'x' },
    ]

    expect(events.flatMap((event) => start().feed(event))).toEqual([])
    expect(events.flatMap((event) => start({ verbosity: 1 }).feed(event))).toEqual([
      '    · step tag  remembered',
      '    ▶ tool pay {"amount":1}',
      '    ✔ tool pay "done"',
      '    ✖ tool pay no',
      '    │ Hello',
      '    │ there',
      '    · {"a":1}',
    ])
  })
})
