import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Store } from '../../src/core/store.ts'
import { sqliteStore } from '../../src/stores/index.ts'
import type { StoreSubject, SubjectOptions } from '../contracts/store-subject.ts'
import { keysOf } from './file-subject.ts'

const LONGER_THAN_A_LEASE_MS = 3_600_000

/** A SQLite store in a new folder, with a clock that can be moved. */
export async function sqliteSubject(options: SubjectOptions = {}): Promise<StoreSubject> {
  let offset = 0
  const parent = mkdtempSync(join(tmpdir(), 'hexagon-sqlite-'))
  const path = join(parent, 'threads.db')
  const opened: Store[] = []
  const open = (): Store => {
    const store = sqliteStore(path, { ...options, clock: () => Date.now() + offset })
    opened.push(store)
    return store
  }
  return {
    store: open(),
    reopen: async () => open(),
    passTime: (ms) => void (offset += ms),
    loseLease: async () => void (offset += LONGER_THAN_A_LEASE_MS),
    location: { open: 'sqliteStore', args: [path, keysOf(options)] },
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()))
      rmSync(parent, { recursive: true })
    },
  }
}
