import { expect, test } from 'vitest'

import { symbolsFor } from '../../../src/cli/terminal/symbols.ts'

test.each([
  [{}, 'unicode'],
  [{ LANG: 'en_US.UTF-8' }, 'unicode'],
  [{ LANG: 'C.utf8' }, 'unicode'],
  [{ LANG: 'C' }, 'ascii'],
  [{ LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, 'ascii'],
  [{ LC_ALL: '', LANG: 'en_US.UTF-8' }, 'unicode'],
  [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, 'ascii'],
  [{ TERM: 'dumb', LANG: 'en_US.UTF-8' }, 'ascii'],
])('the signs for %j are %s', (env, kind) => {
  expect(symbolsFor(env).kind).toBe(kind)
})

test('ASCII signs are ASCII', () => {
  const signs = Object.values(symbolsFor({ TERM: 'dumb' }))
    .flat()
    .join('')

  expect(signs).toMatch(/^[\u0020-\u007e]+$/u)
})
