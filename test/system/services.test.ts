import { expect, test } from 'vitest'

import { systemServices } from '../../src/system/services.ts'

const { clock, ids, hash } = systemServices()

test('ids are random Crockford base32 in lower case', () => {
  expect(ids.thread()).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/)
  expect(ids.interrupt()).toMatch(/^i_[0-9a-hjkmnp-tv-z]{10,}$/)
  expect(ids.unique()).toMatch(/^[0-9a-hjkmnp-tv-z]{20,}$/)
})

test('ids do not repeat, and use every character', () => {
  const many = Array.from({ length: 20_000 }, () => ids.interrupt())

  expect(new Set(many).size).toBe(many.length)
  expect(new Set(many.join('').replaceAll('i_', '')).size).toBe(32)
})

test('the hash is SHA-256 in hexadecimal', () => {
  expect(hash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(hash('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('the clock tells milliseconds since 1970', () => {
  expect(Math.abs(clock() - Date.now())).toBeLessThan(1000)
})
