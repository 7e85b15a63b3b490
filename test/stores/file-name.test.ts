import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { fileNameOf } from '../../src/stores/file/file-name.ts'

test('a plain id is the name of its files', () => {
  for (const id of ['7f3k9q2m4d', 'release-1', 'a.b_c', '0', 'x'.repeat(64)]) {
    expect(fileNameOf(id)).toBe(id)
  }
})

test('O22 S167 an odd or long id becomes a beginning and a hash', () => {
  const odd = [
    '../../x',
    'a/b',
    'a\\b',
    'CON',
    'con',
    'con.txt',
    'lpt1',
    '.',
    '..',
    '.hidden',
    'a.',
  ]
  const long = ['x'.repeat(65), 'x'.repeat(200), '🐎', 'a b', 'Release', 'a:b', 'nul\u0000']
  for (const id of [...odd, ...long]) {
    expect(fileNameOf(id)).toMatch(/^[a-z0-9_-]{0,24}~[0-9a-f]{64}$/)
  }
})

test('different ids have names that differ also where case does not count', () => {
  const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      fc.pre(a !== b)
      expect(fileNameOf(a).toLowerCase()).not.toBe(fileNameOf(b).toLowerCase())
    }),
  )
  for (const [a, b] of [
    ['release', 'RELEASE'],
    ['é', 'e\u0301'],
    ['\ud800', '\ud801'],
    ['con', 'CON'],
    ['a/b', 'a_b'],
  ] as const) {
    expect(fileNameOf(a).toLowerCase()).not.toBe(fileNameOf(b).toLowerCase())
  }
})

test('no name leaves the folder or has a part of its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (id) => {
      const name = fileNameOf(id)
      expect(name).toMatch(/^[a-z0-9._~-]+$/)
      expect(name).not.toMatch(/^\.|\.$/)
      expect(name.length).toBeLessThan(100)
    }),
  )
})
