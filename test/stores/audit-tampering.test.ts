import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { hashOfLine } from '../../src/stores/file/audit-line.ts'
import { arrivalsOf, readAudit } from '../../src/stores/file/audit.ts'
import { fileStore } from '../../src/stores/index.ts'
import { answers, askingThread } from '../contracts/store-data.ts'
import { hostileRuns } from '../support/hostile.ts'
import { tempFolder } from './temp-folder.ts'

/** A folder with four answers; `lines` are those of its audit log. */
async function fourAnswers(): Promise<{ folder: string; path: string; lines: string[] }> {
  const folder = join(tempFolder(), '.hexagon')
  const store = fileStore(folder)
  const ids = ['i_1', 'i_2', 'i_3', 'i_4']
  await askingThread(store, 't', { ids })
  for (const id of ids) await store.answer(answers('t', { [id]: 'true' }))
  await store.close()
  const path = join(folder, 'audit.jsonl')
  return { folder, path, lines: readFileSync(path, 'utf8').split('\n').slice(0, -1) }
}

test('a changed character anywhere before the last line breaks the chain, in the last one its head', async () => {
  const { folder, path, lines } = await fourAnswers()
  const { head } = readAudit(folder)
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  fc.assert(
    fc.property(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 127 }), (at, by) => {
      const changed = Buffer.from(bytes)
      changed[at] = ((changed[at] ?? 0) + by) % 128
      writeFileSync(path, changed)
      const found = readAudit(folder)
      expect(found.broken !== undefined || found.head !== head).toBe(true)
    }),
    hostileRuns(200),
  )
})

test('a line put in twice, or put in between, is the first that breaks the chain', async () => {
  const { folder, path, lines } = await fourAnswers()
  const [first = '', second = ''] = lines
  for (const text of [lines.toSpliced(1, 0, first), lines.toSpliced(1, 0, second)]) {
    writeFileSync(path, `${text.join('\n')}\n`)
    expect(readAudit(folder).broken).toMatchObject({ line: text[1] === first ? 2 : 3 })
  }
})

test('lines that are cut off the end show in the head, which is kept elsewhere', async () => {
  const { folder, path, lines } = await fourAnswers()
  const { head } = readAudit(folder)
  writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`)

  const found = readAudit(folder)

  expect(found.broken).toBeUndefined()
  expect(found.head).not.toBe(head)
})

test('a line that was made up, with the right hash before it, has no answer that arrived', async () => {
  const { folder, path, lines } = await fourAnswers()
  const last = lines.at(-1) ?? ''
  const forged = { ...(JSON.parse(last) as object), n: 5, prev: hashOfLine(last), requestId: 'x' }
  writeFileSync(path, `${[...lines, JSON.stringify(forged)].join('\n')}\n`)

  const found = readAudit(folder)

  expect(found.broken).toBeUndefined()
  expect(await arrivalsOf(fileStore(folder), found.lines)).toEqual([
    'arrived',
    'arrived',
    'arrived',
    'arrived',
    'missing',
  ])
})
