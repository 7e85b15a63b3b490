import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Store } from '../../src/core/store.ts'
import { sqliteStore } from '../../src/stores/index.ts'
import { KeyRing } from '../../src/stores/sealed/key-ring.ts'
import { SqliteInspection } from '../../src/stores/sqlite/inspection.ts'
import { rekeyDatabase } from '../../src/stores/sqlite/rekeying.ts'
import { describeCrashes } from '../contracts/store-crash.ts'
import { answers, claimant, edit, newThread, question } from '../contracts/store-data.ts'
import { describeStore } from '../contracts/store.ts'
import { KEY, OTHER_KEY } from './keys.ts'
import { sqliteSubject } from './sqlite-subject.ts'
import { tempFolder } from './temp-folder.ts'

const setup = (options = {}) => sqliteSubject({ ...options, keys: [KEY, OTHER_KEY] })

describeStore('sqliteStore with keys', setup)
describeCrashes('sqliteStore with keys', setup)

const NEW_ID = new KeyRing([OTHER_KEY]).keyId

/** A pruned, waiting thread with an answer, one that has ended, and a blob. */
async function fill(store: Store): Promise<string> {
  const { fence } = await store.create(newThread('t', { status: 'running', claim: claimant() }))
  for (let version = 1; version < 6; version++) {
    const isLast = version === 5
    await store.commit({
      ...edit('t', version, { status: isLast ? 'suspended' : 'running', release: isLast }),
      fence,
      events: [`"secret event ${version}"`],
      puts: [['n', JSON.stringify('secret state '.repeat(100))]],
      open: version === 2 ? [question('i_a', 1), { ...question('i_b', 2), body: '"secret?"' }] : [],
    })
  }
  await store.answer(answers('t', { i_b: '"secret answer"' }))
  await store.prune('t', 3)
  await store.create(newThread('ended', { status: 'completed', records: [['x', '"secret end"']] }))
  const hash = await store.putBlob(Buffer.from('secret blob'))
  await store.close()
  return hash
}

async function seen(store: Store) {
  const past = await store.checkpointAt('t', 5)
  const events = await store.events('t')
  const found = { t: await store.load('t'), ended: await store.load('ended'), past, events }
  await store.close()
  return found
}

function bytesIn(folder: string): string {
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  return files.join('\n')
}

test('no byte of the database tells what was asked, answered or worked out', async () => {
  const folder = tempFolder()
  const path = join(folder, 'threads.db')
  await fill(sqliteStore(path, { keys: [KEY] }))

  expect(bytesIn(folder)).not.toContain('secret')
  expect(
    JSON.stringify([...((await seen(sqliteStore(path, { keys: [KEY] }))).t?.records ?? [])]),
  ).toContain('secret state')
})

test('without its key an encrypted database is refused', async () => {
  const path = join(tempFolder(), 'threads.db')
  await fill(sqliteStore(path, { keys: [KEY] }))
  const blind = sqliteStore(path)

  for (const act of [
    () => blind.load('t'),
    () => blind.threads(),
    () => blind.pending(),
    () => blind.create(newThread('u')),
    () => blind.prune('t', 1),
  ]) {
    await expect(act()).rejects.toMatchObject({ code: 'E1322' })
  }
  const other = sqliteStore(path, { keys: [OTHER_KEY] })
  expect((await other.threads()).damaged.map(({ code }) => code)).toEqual(['E1323', 'E1323'])
  await other.close()
})

test('all texts come under the new key, and the old one is needed no more', async () => {
  const folder = tempFolder()
  const path = join(folder, 'threads.db')
  const hash = await fill(sqliteStore(path, { keys: [KEY] }))
  const before = await seen(sqliteStore(path, { keys: [KEY] }))

  const { threads, busy, damaged } = await rekeyDatabase(path, { keys: [OTHER_KEY, KEY] })

  expect({ threads, busy, damaged }).toEqual({ threads: ['ended', 't'], busy: [], damaged: [] })
  const store = sqliteStore(path, { keys: [OTHER_KEY] })
  expect(Buffer.from((await store.getBlob(hash)) ?? []).toString()).toBe('secret blob')
  expect(await seen(store)).toEqual(before)
  expect(bytesIn(folder)).toContain(NEW_ID)
  const inspection = new SqliteInspection(path, { keys: [OTHER_KEY] })
  expect((await inspection.inspect()).findings).toEqual([])
  await inspection.close()
})

test('a plain database is encrypted as a whole, and what was plain is overwritten', async () => {
  const folder = tempFolder()
  const path = join(folder, 'threads.db')
  await fill(sqliteStore(path))
  const before = await seen(sqliteStore(path))

  await rekeyDatabase(path, { keys: [KEY] })

  expect(await seen(sqliteStore(path, { keys: [KEY] }))).toEqual(before)
  // The audit log is only ever appended to.
  const kept = bytesIn(folder).match(/secret \w+/gu) ?? []
  expect(new Set(kept)).toEqual(new Set(['secret answer']))
  await expect(sqliteStore(path).load('t')).rejects.toMatchObject({ code: 'E1322' })
})

test('a thread that is run is named and left; cut off between any two effects, the rest can be done again', async () => {
  const path = join(tempFolder(), 'threads.db')
  await fill(sqliteStore(path, { keys: [KEY] }))
  const holder = sqliteStore(path, { keys: [KEY] })
  const { fence } = await holder.claim('t', claimant())
  expect(await rekeyDatabase(path, { keys: [OTHER_KEY, KEY] })).toMatchObject({
    threads: ['ended'],
    busy: ['t'],
  })
  await holder.release('t', fence)
  await holder.close()
  const before = await seen(sqliteStore(path, { keys: [OTHER_KEY, KEY] }))

  for (let point = 1, isCut = true; isCut; point += 3) {
    let passed = 0
    const onFaultPoint = (): void => {
      if (++passed === point) throw new Error('cut off')
    }
    const keys = [point % 2 === 0 ? KEY : OTHER_KEY, KEY, OTHER_KEY]
    isCut = await rekeyDatabase(path, { keys, onFaultPoint }).then(
      () => false,
      () => true,
    )
    expect(await seen(sqliteStore(path, { keys: [KEY, OTHER_KEY] }))).toEqual(before)
  }
})
