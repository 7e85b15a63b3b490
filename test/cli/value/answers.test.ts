import { describe, expect, test } from 'vitest'

import { AnswerScript, matchAnswers, readAnswers } from '../../../src/cli/value/answers.ts'
import { findQuestion } from '../../../src/cli/value/question.ts'
import { isHexagonError } from '../../../src/core/errors.ts'
import { question } from '../../support/question.ts'

const review = question({
  id: 'i_aaaa000001',
  key: 'node:review',
  ordinal: 2,
  address: [{ type: 'node', id: 'review' }],
})
const pay = question({
  id: 'i_bbbb000002',
  key: 'payment',
  ordinal: 3,
  address: [
    { type: 'node', id: 'review' },
    { type: 'tool', id: 'pay', subId: 'call_1' },
  ],
})
const answered = {
  id: 'i_cccc000003',
  ordinal: 1,
  status: 'consumed',
  message: 'First?',
  key: 'first',
  address: [{ type: 'node', id: 'start' }],
  by: 'ann',
  at: '2026-11-30T09:03:00.000Z',
} as const
const questions = { open: [review, pay], answered: [answered] }

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (isHexagonError(error)) return `${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('a question is found by', () => {
  test.each([
    ['its id', 'i_bbbb000002'],
    ['a unique prefix of its id', 'i_bb'],
    ['its place among all questions', '#3'],
    ['its key', 'payment'],
    ['its address with slashes', 'node:review/tool:pay:call_1'],
    ['its address with semicolons', 'node:review;tool:pay:call_1'],
  ])('%s', (_way, name) => {
    expect(findQuestion(name, questions)).toBe(pay)
  })
})

test('E1214: an unknown name lists what is open', () => {
  expect(codeOf(() => findQuestion('node:reveiw', questions))).toBe(
    'E1214 No open question "node:reveiw"',
  )
  expect(codeOf(() => findQuestion('bbbb', questions))).toMatch(/^E1214/)
})

test('B20 E1307: an answered question is named as answered', () => {
  const said =
    'E1307 Question "i_cccc000003" is already answered by ann at 2026-11-30T09:03:00.000Z'
  for (const name of ['i_cccc000003', '#1', 'first', 'node:start']) {
    expect(codeOf(() => findQuestion(name, questions))).toContain(said)
  }
})

test('E1408: a question whose time was up is late, not answered', () => {
  const expiresAt = '2026-11-30T09:03:00.000Z'
  const expired = { ...answered, status: 'expired', expiresAt } as const
  expect(codeOf(() => findQuestion('#1', { open: [review], answered: [expired] }))).toBe(
    `E1408 Question "i_cccc000003" expired unanswered at ${expiresAt}`,
  )
})

test('E1214: a cancelled question has no answer', () => {
  const cancelled = { id: 'i_cccc000003', ordinal: 1, status: 'cancelled', message: '' } as const
  expect(codeOf(() => findQuestion('#1', { open: [review], answered: [cancelled] }))).toBe(
    'E1214 No open question "#1"',
  )
})

test('E1215: a name of several questions is refused', () => {
  const twin = { ...review, id: 'i_dddd000004', ordinal: 4 }
  const several = { open: [review, twin], answered: [] }
  expect(codeOf(() => findQuestion('node:review', several))).toMatch(/^E1215 2 questions are open/)
})

test('E1206: two names of one question are refused', () => {
  const answers = new Map<string, unknown>([
    ['payment', true],
    ['#3', false],
  ])
  expect(codeOf(() => matchAnswers(answers, questions))).toMatch(/^E1206/)
})

test('B26 an answer for a later question does not need the first one', () => {
  expect(matchAnswers(new Map([['payment', true]]), questions)).toEqual([
    { question: pay, value: true },
  ])
})

test('E1208: --answers takes an object', async () => {
  const input = { readFile: never, readStandardInput: never }
  for (const text of ['[1]', 'true', 'text', 'null']) {
    const reading = readAnswers(text, input)
    await expect(reading).rejects.toMatchObject({ code: 'E1208' })
  }
})

describe('a script of answers', () => {
  test('gives a list item by item, one to each question', () => {
    const script = new AnswerScript(new Map([['node:review', [false, true]]]))
    const second = { ...review, id: 'i_eeee000005' }
    const third = { ...review, id: 'i_ffff000006' }

    expect(script.take(review)).toEqual({ value: false })
    expect(script.take(review)).toBeUndefined()
    expect(script.take(second)).toEqual({ value: true })
    expect(script.take(third)).toBeUndefined()
    expect(script.unused()).toEqual([])
  })

  test('gives a single value only once', () => {
    const script = new AnswerScript(new Map([['node:review', true]]))

    expect(script.take(review)).toEqual({ value: true })
    expect(script.take({ ...review, id: 'i_eeee000005' })).toBeUndefined()
  })

  test('tells which names were never asked', () => {
    expect(new AnswerScript(new Map([['node:reveiw', true]])).unused()).toEqual(['node:reveiw'])
  })
})

function never(): Promise<Uint8Array> {
  return Promise.reject(new Error('not read'))
}
