import { memoryStore } from '../../src/stores/index.ts'
import type { StoreSubject, SubjectOptions } from '../contracts/store-subject.ts'

/** A memory store with a clock that can be moved. */
export async function memorySubject(options: SubjectOptions = {}): Promise<StoreSubject> {
  let offset = 0
  const store = memoryStore({ ...options, clock: () => Date.now() + offset })
  return {
    store,
    reopen: async () => store,
    passTime: (ms) => void (offset += ms),
    loseLease: async () => void (offset += 3_600_000),
    dispose: () => store.close(),
  }
}
