// What somebody wrote into the rows of a database: whatever it is, an act on the thread succeeds or is refused by
// name, and the other threads are unhurt.

import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import Libsql from 'libsql'
import { expect, test } from 'vitest'

import { sqliteStore } from '../../src/stores/index.ts'
import {
  expectCleanPrototypes,
  forged,
  hostileRuns,
  hostileTexts,
  hostileValues,
} from '../support/hostile.ts'
import { expectOthersUnhurt, fillStore, useAll } from './hostile-subject.ts'
import { tempFolder } from './temp-folder.ts'

/** Columns of the thread `b`; those that hold JSON may be changed inside. */
const COLUMNS = [
  ['thread', 'status'],
  ['thread', 'version'],
  ['thread', 'fence'],
  ['thread', 'wake'],
  ['thread', 'meta'],
  ['thread', 'flow'],
  ['thread', 'updated_at'],
  ['thread', 'run_after'],
  ['thread', 'claimed_from'],
  ['thread', 'open'],
  ['thread', 'changes'],
  ['thread', 'lease'],
  ['thread', 'lease_process'],
  ['thread', 'lease_until'],
  ['thread', 'runnable_at'],
  ['record', 'key'],
  ['record', 'value'],
  ['question', 'id'],
  ['question', 'ordinal'],
  ['question', 'kind'],
  ['question', 'status'],
  ['question', 'expires_at'],
  ['question', 'body'],
  ['question', 'answer'],
  ['question', 'untold'],
  ['change', 'seq'],
  ['change', 'version'],
  ['change', 'at'],
  ['change', 'label'],
  ['change', 'body'],
  ['change', 'events'],
  ['change', 'event_bodies'],
] as const

const LEASE = '{"owner":"o","holder":{"pid":1,"host":"h","since":"2026-01-01T00:00:00.000Z"}}'

/** A value a column may get: JSON, its text in which a part was changed, or any text or number. */
const forgery = fc.record({
  column: fc.constantFrom(...COLUMNS),
  row: fc.nat(3),
  steps: fc.array(fc.nat(20), { maxLength: 5 }),
  value: fc.oneof(
    { arbitrary: fc.constantFrom(...hostileValues), weight: 4 },
    { arbitrary: fc.constantFrom(...hostileTexts), weight: 1 },
  ),
  how: fc.constantFrom('inside', 'text', 'number', 'null', 'bytes'),
})

type Forgery = typeof forgery extends fc.Arbitrary<infer T> ? T : never

function forge(path: string, { column: [table, column], row, steps, value, how }: Forgery): void {
  const database = new Libsql(path)
  try {
    const owner = table === 'thread' ? 'id' : 'thread'
    const found = database
      .prepare(`select rowid as place, "${column}" as old from "${table}" where ${owner} = 'b'`)
      .all() as { place: number; old: unknown }[]
    const { place = 0, old = null } = found[row % Math.max(1, found.length)] ?? {}
    const given = newValue(typeof old === 'string' ? old : LEASE, { steps, value, how })
    database.prepare(`update "${table}" set "${column}" = ? where rowid = ?`).run(given, place)
  } catch (error) {
    // What the table itself refuses is no forgery.
    if (!/constraint/iu.test(String(error))) throw error
  } finally {
    database.close()
  }
}

function newValue(
  old: string,
  { steps, value, how }: Pick<Forgery, 'steps' | 'value' | 'how'>,
): string | number | null | Buffer {
  if (how === 'null') return null
  if (how === 'number') return value.length - 5.5
  if (how === 'bytes') return Buffer.from(value)
  if (how === 'text' || !old.startsWith('{')) return value
  return forged(old, steps, value === 'DEEP' || isJson(value) ? value : JSON.stringify(value))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('a row of a database that was changed by hand is refused by name or read, and hurts no other thread', async () => {
  const parent = tempFolder()
  const template = join(parent, 'template.db')
  const filled = sqliteStore(template)
  await fillStore(filled)
  await filled.close()
  await fc.assert(
    fc.asyncProperty(forgery, async (change) => {
      const path = join(parent, 'forged.db')
      copyFileSync(template, path)
      forge(path, change)
      const store = sqliteStore(path)
      try {
        await expectOthersUnhurt(store)
        await useAll(store, 'b')
        await expectOthersUnhurt(store)
      } finally {
        await store.close()
      }
      expectCleanPrototypes()
      const names = readdirSync(parent).filter((name) => !/-(?:wal|shm)$/u.test(name))
      expect(names.toSorted()).toEqual(['forged.db', 'template.db'])
    }),
    hostileRuns(80),
  )
})
