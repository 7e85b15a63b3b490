import { expect, test } from 'vitest'

import { canonical } from '../../src/core/canonical.ts'

test('the order of keys does not count, at any depth', () => {
  const a = { z: 1, a: { y: [1], b: 2 }, é: 3, Z: 4 }
  const b = { Z: 4, é: 3, a: { b: 2, y: [1] }, z: 1 }

  expect(canonical(a)).toBe(canonical(b))
  expect(canonical(a)).toBe('{"Z":4,"a":{"b":2,"y":[1]},"z":1,"é":3}')
})

test.each([
  ['a number and its text', 1, '1'],
  ['a BigInt and a number', 1n, 1],
  ['0 and -0', 0, -0],
  ['NaN and null', Number.NaN, null],
  ['undefined and a missing key', { a: undefined }, {}],
  ['undefined and null', [undefined], [null]],
  ['a Date and its text', new Date(0), '1970-01-01T00:00:00.000Z'],
  [
    'a Date and what it is stored as',
    new Date(0),
    { $type: 'Date', value: '1970-01-01T00:00:00.000Z' },
  ],
  ['a Set and a list', new Set([1]), [1]],
  ['a Map and an object', new Map([['a', 1]]), { a: 1 }],
  [
    'maps in another order',
    new Map([
      [1, 1],
      [2, 2],
    ]),
    new Map([
      [2, 2],
      [1, 1],
    ]),
  ],
  ['lists in another order', [1, 2], [2, 1]],
  ['an object with and without a prototype', {}, Object.create(null)],
  ['a Buffer and a Uint8Array', Buffer.of(1), Uint8Array.of(1)],
  ['errors of two classes', new TypeError('x'), new RangeError('x')],
  ['errors with two messages', new Error('x'), new Error('y')],
  ['keys that join alike', { 'a":1,"b': 1 }, { a: 1, b: 1 }],
])('%s differ', (_name, a, b) => {
  expect(canonical(a)).not.toBe(canonical(b))
})

test('the stack of an error does not count, as a replay has another', () => {
  const here = new Error('x', { cause: new TypeError('y') })
  const elsewhere = Object.assign(new Error('x', { cause: new TypeError('y') }), {})
  elsewhere.stack = 'Error: x\n    at another.ts:1:1'

  expect(canonical({ error: here })).toBe(canonical({ error: elsewhere }))
})

test('data that looks like an error keeps its stack', () => {
  const a = { $type: 'Error', value: { stack: 'a' } }
  const b = { $type: 'Error', value: { stack: 'b' } }

  expect(canonical(a)).not.toBe(canonical(b))
})

test('what can’t be kept has no text', () => {
  expect(() => canonical({ send: () => 1 }, 'payload')).toThrow(
    'payload.send: function "send" can\'t be kept',
  )
})
