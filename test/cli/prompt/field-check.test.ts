import { expect, test } from 'vitest'

import {
  checkCount,
  checkText,
  describeNumber,
  hintOf,
  parseNumber,
} from '../../../src/cli/prompt/field-check.ts'

test.each([
  ['', { minLength: 1 }, 'required'],
  ['ab', { minLength: 3 }, 'at least 3 characters'],
  ['abcd', { maxLength: 3 }, 'at most 3 characters'],
  ['👨‍👩‍👧', { maxLength: 5 }, true],
  ['x1', { pattern: '^x' }, true],
  ['y1', { pattern: '^x' }, 'must match ^x'],
  ['y1', { pattern: '(' }, true],
])('the text %j under %j is %j', (text, schema, verdict) => {
  expect(checkText(schema, text)).toBe(verdict)
})

test.each([
  ['7', true, {}, { value: 7 }],
  [' -1.5 ', false, {}, { value: -1.5 }],
  ['1e3', false, {}, { value: 1000 }],
  ['7.5', true, {}, { problem: 'must be an integer' }],
  ['0x10', false, {}, { value: 16 }],
  ['Infinity', false, {}, { problem: 'must be a number' }],
  ['', false, {}, { problem: 'must be a number' }],
  ['101', true, { minimum: 1, maximum: 100 }, { problem: 'must be an integer from 1 to 100' }],
  ['0', false, { exclusiveMinimum: 0 }, { problem: 'must be a number, more than 0' }],
  ['0.3', false, { multipleOf: 0.1 }, { value: 0.3 }],
  ['0.35', false, { multipleOf: 0.1 }, { problem: 'must be a number, a multiple of 0.1' }],
])('the number %j (integer: %j) under %j is %j', (...[text, isInteger, schema, parsed]) => {
  expect(parseNumber({ isInteger, schema }, text)).toEqual(parsed)
})

test('the bounds of safe integers are not told', () => {
  const schema = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

  expect(describeNumber({ isInteger: true, schema })).toBe('an integer')
  expect(describeNumber({ isInteger: false, schema: { maximum: 5 } })).toBe('a number up to 5')
})

test.each([
  [0, { minItems: 1 }, 'pick at least 1'],
  [3, { maxItems: 2 }, 'pick at most 2'],
  [2, { minItems: 1, maxItems: 2 }, true],
])('%i picked under %j is %j', (count, schema, verdict) => {
  expect(checkCount(schema, count)).toBe(verdict)
})

test('a field says what it wants beside its name', () => {
  const field = { name: 'n', label: 'n', description: undefined, usual: undefined }

  expect(
    hintOf({ ...field, required: false, kind: { type: 'number', isInteger: true, schema: {} } }),
  ).toBe('optional, integer')
  expect(
    hintOf({ ...field, required: true, kind: { type: 'text', schema: { format: 'date' } } }),
  ).toBe('date')
})
