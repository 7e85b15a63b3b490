import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Change } from '../../src/stores/change.ts'
import { readLog } from '../../src/stores/file/log-file.ts'
import { lineOf } from '../../src/stores/file/log-record.ts'
import { tempFolder } from './temp-folder.ts'

const header = { format: 1, id: 't', from: 4, events: 2, version: 3 }

function release(at: string): Change {
  return { kind: 'release', at, status: 'ready' }
}

function logWith(count: number): string {
  const path = join(tempFolder(), 't.log')
  const lines = Array.from({ length: count }, (_, index) => lineOf(5 + index, release(`${index}`)))
  writeFileSync(path, Buffer.concat([lineOf(4, header), ...lines]))
  return path
}

test('a log gives its head and its records', () => {
  const log = readLog(logWith(3))

  expect(log).toMatchObject({ header, through: 7 })
  expect(log?.lines.map((line) => line.json())).toEqual(['0', '1', '2'].map(release))
  expect(log?.wholeBytes).toBe(log?.totalBytes)
  expect(readLog('/nowhere/t.log')).toBeUndefined()
})

test('an append that was cut off anywhere is not read', () => {
  const path = logWith(3)
  const whole = readFileSync(path).length
  const last = lineOf(8, release('3')).toString()

  for (let length = 1; length < last.length; length++) {
    truncateSync(path, whole)
    appendFileSync(path, last.slice(0, length))
    expect(readLog(path)).toMatchObject({ through: 7, wholeBytes: whole })
  }
})

test('blocks that were never written leave a hole, and what was cut off is not read', () => {
  const path = logWith(2)
  const whole = readFileSync(path).length
  const holed = lineOf(7, release('x'.repeat(100)))
  holed.fill(0, 20, 90)
  appendFileSync(path, holed)
  expect(readLog(path)).toMatchObject({ through: 6, wholeBytes: whole })

  truncateSync(path, whole)
  appendFileSync(path, Buffer.alloc(4096))
  expect(readLog(path)).toMatchObject({ through: 6, wholeBytes: whole })
})

test('B55 a record that changed is damage, with file and position', () => {
  const path = logWith(3)
  const bytes = readFileSync(path)
  const second = bytes.indexOf(10) + 1
  for (const [place, position] of [
    [second + 12, second],
    [bytes.length - 5, bytes.lastIndexOf(10, bytes.length - 2) + 1],
  ] as const) {
    const changed = Buffer.from(bytes)
    changed[place] = 88
    writeFileSync(path, changed)

    expect(() => readLog(path)).toThrow(
      expect.objectContaining({
        code: 'E1308',
        message: `${path}: wrong checksum at position ${position}`,
      }),
    )
  }
})

test('a record that is missing in the middle is damage', () => {
  const path = join(tempFolder(), 't.log')
  writeFileSync(path, Buffer.concat([lineOf(4, header), lineOf(6, release('0'))]))

  expect(() => readLog(path)).toThrow(/a record is missing before position/)
})

test('a log of zero bytes, of NULs, or without a head is damage, a newer one is refused', () => {
  const path = join(tempFolder(), 't.log')
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(500), lineOf(1, release('0'))]) {
    writeFileSync(path, bytes)
    expect(() => readLog(path)).toThrow(expect.objectContaining({ code: 'E1308' }))
  }
  writeFileSync(path, lineOf(0, { ...header, format: 2 }))
  expect(() => readLog(path)).toThrow(expect.objectContaining({ code: 'E1309' }))
})
