// Names of threads and references of blobs, of whatever characters: refused, or one thread of their own inside the store.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { isHexagonError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/store.ts'
import { fileStore, memoryStore, sqliteStore } from '../../src/stores/index.ts'
import { newThread } from '../contracts/store-data.ts'
import { expectCleanPrototypes, hostileIds, hostileRuns, hostileText } from '../support/hostile.ts'
import { tempFolder } from './temp-folder.ts'

const anyId = fc.oneof(
  fc.constantFrom(...hostileIds),
  hostileText,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .tuple(fc.constantFrom(...hostileIds), fc.constantFrom(...hostileIds))
    .map((two) => two.join('/')),
)

const KINDS = ['files', 'SQLite', 'memory'] as const

function openStore(kind: (typeof KINDS)[number], root: string): Store {
  if (kind === 'memory') return memoryStore()
  return kind === 'files' ? fileStore(join(root, 'store')) : sqliteStore(join(root, 'store', 'db'))
}

async function made(store: Store, id: string): Promise<boolean> {
  try {
    await store.create(newThread(id, { meta: JSON.stringify({ id }) }))
    return true
  } catch (error) {
    if (isHexagonError(error) && ['E1012', 'E1314'].includes(error.code)) return false
    throw error
  }
}

describe.each(KINDS)('over %s', (kind) => {
  test('O22 S167 any two ids are two threads or refused, and leave nothing beside the store', async () => {
    const parent = tempFolder()
    mkdirSync(join(parent, 'store'), { mode: 0o700 })
    const store = openStore(kind, parent)
    await fc.assert(
      fc.asyncProperty(anyId, anyId, async (one, other) => {
        const ids = [...new Set([one, other])]
        const kept: string[] = []
        for (const id of ids) if (await made(store, id)) kept.push(id)
        for (const id of kept) {
          const head = (await store.load(id))?.head
          expect(head).toMatchObject({ id, meta: JSON.stringify({ id }) })
        }
        expect(readdirSync(parent)).toEqual(['store'])
        for (const id of kept) {
          expect(await store.delete(id)).toBe(true)
          expect(await store.load(id)).toBeUndefined()
        }
        for (const id of kept.slice(1)) expect(await store.load(id)).toBeUndefined()
        expectCleanPrototypes()
      }),
      hostileRuns(60),
    )
    await store.close()
  })

  test('a blob that is asked for by anything but a hash is not there', async () => {
    const parent = tempFolder()
    mkdirSync(join(parent, 'store'), { mode: 0o700 })
    const store = openStore(kind, parent)
    await store.create(newThread('a'))
    await fc.assert(
      fc.asyncProperty(anyId, async (id) => {
        expect(await store.getBlob(id)).toBeUndefined()
      }),
      hostileRuns(60),
    )
    await store.close()
  })
})
