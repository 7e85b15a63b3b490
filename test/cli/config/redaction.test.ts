import { describe, expect, test } from 'vitest'

import { Redaction } from '../../../src/cli/config/redaction.ts'
import { question } from '../../support/question.ts'

function hide(value: unknown, ...redact: string[]): unknown {
  return new Redaction({ redact }).value(value)
}

describe('a redact path', () => {
  const value = {
    token: 't',
    user: { token: 'u', name: 'ann' },
    list: [{ token: 'v' }, { token: 'w' }],
  }

  test('without stars hides one place', () => {
    expect(hide(value, 'user.token')).toEqual({ ...value, user: { token: '••••', name: 'ann' } })
  })

  test('with ** hides a name at any depth', () => {
    expect(hide(value, '**.token')).toEqual({
      token: '••••',
      user: { token: '••••', name: 'ann' },
      list: [{ token: '••••' }, { token: '••••' }],
    })
  })

  test('with * or [*] hides in every item', () => {
    const hidden = { ...value, list: [{ token: '••••' }, { token: '••••' }] }
    expect(hide(value, 'list.*.token')).toEqual(hidden)
    expect(hide(value, 'list[*].token')).toEqual(hidden)
  })

  test('with a number hides in one item', () => {
    expect(hide(value, 'list[1].token')).toEqual({
      ...value,
      list: [{ token: 'v' }, { token: '••••' }],
    })
  })

  test('hides whole objects', () => {
    expect(hide(value, 'user')).toEqual({ ...value, user: '••••' })
  })

  test('that leads nowhere changes nothing', () => {
    expect(hide(value, 'a.b', 'user.token.x')).toEqual(value)
  })
})

test('values of other classes stay as they are', () => {
  const date = new Date(0)
  expect(hide({ date, map: new Map([['token', 1]]) }, '**.token')).toEqual({
    date,
    map: new Map([['token', 1]]),
  })
})

test('a question is hidden in payload, default and what it was before', () => {
  const hidden = new Redaction({ redact: ['**.token'] }).interrupt(
    question({
      payload: { token: 1 },
      default: { token: 2 },
      changedFrom: { message: 'm', payload: { token: 3 }, digest: 'd' },
    }),
  )
  expect(hidden).toMatchObject({
    payload: { token: '••••' },
    default: { token: '••••' },
    changedFrom: { payload: { token: '••••' } },
  })
})

test('without paths everything is handed on by reference', () => {
  const asked = question()
  expect(new Redaction({}).interrupt(asked)).toBe(asked)
})
