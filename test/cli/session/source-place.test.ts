import { expect, test } from 'vitest'

import { sourcePlace } from '../../../src/cli/session/source-place.ts'

function thrown(stack: string, cause?: unknown): Error {
  return Object.assign(new Error('no', { cause }), { stack })
}

test('the first frame inside the project is the place', () => {
  const error = thrown(
    [
      'Error: no',
      '    at fetch (file:///p/node_modules/net/index.js:1:2)',
      '    at load (/p/.hexagon/cache/x.mjs:1:999)',
      '    at async call (file:///p/flows/my%20deploy.ts:41:9)',
      '    at /p/flows/other.ts:3:1',
    ].join('\n'),
  )
  expect(sourcePlace(error, '/p')).toBe('flows/my deploy.ts:41:9')
})

test('what was thrown first tells most', () => {
  const cause = thrown('Error: no\n    at /p/flows/inner.ts:1:1')
  expect(sourcePlace(thrown('Error: no\n    at /p/flows/outer.ts:2:2', cause), '/p')).toBe(
    'flows/inner.ts:1:1',
  )
})

test('an error from elsewhere has no place', () => {
  expect(sourcePlace(thrown('Error: no\n    at /elsewhere/a.ts:1:1'), '/p')).toBeUndefined()
  expect(sourcePlace('a text', '/p')).toBeUndefined()
})
