import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Store } from '../../src/core/store.ts'
import { Layout } from '../../src/stores/file/layout.ts'
import { fileStore } from '../../src/stores/index.ts'
import type { StoreSubject, SubjectOptions } from '../contracts/store-subject.ts'

/** A file store in a new folder, with a clock that can be moved. */
export async function fileSubject(options: SubjectOptions = {}): Promise<StoreSubject> {
  let offset = 0
  const parent = mkdtempSync(join(tmpdir(), 'hexagon-store-'))
  const folder = join(parent, '.hexagon')
  const opened: Store[] = []
  const open = (): Store => {
    const store = fileStore(folder, { ...options, clock: () => Date.now() + offset })
    opened.push(store)
    return store
  }
  return {
    store: open(),
    reopen: async () => open(),
    passTime: (ms) => void (offset += ms),
    loseLease: async (threadId) => pretendForeign(new Layout(folder).filesOf(threadId).lock),
    location: { open: 'fileStore', args: [folder, keysOf(options)] },
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()))
      rmSync(parent, { recursive: true })
    },
  }
}

/** What other processes need too. */
export function keysOf({ keys }: SubjectOptions): SubjectOptions {
  return keys === undefined ? {} : { keys }
}

/** Rewrites a lock as if a process of another machine had made it. */
function pretendForeign(lock: string): void {
  const owner: object = JSON.parse(readFileSync(lock, 'utf8'))
  writeFileSync(lock, JSON.stringify({ ...owner, host: 'elsewhere' }))
}
