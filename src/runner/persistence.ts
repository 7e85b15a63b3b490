import type { Store, StoredStatus } from '../core/store.ts'
import type { Changes, Closing, Persistence } from '../runtime/journal.ts'

/** Writes a run's changes to a thread that this process holds. */
export class StorePersistence implements Persistence {
  readonly #store: Store
  readonly #threadId: string
  readonly #fence: number
  version: number
  /** True once something was written in this stretch. */
  written = false
  status: StoredStatus = 'running'

  constructor(
    store: Store,
    held: { readonly threadId: string; readonly fence: number; readonly version: number },
  ) {
    this.#store = store
    this.#threadId = held.threadId
    this.#fence = held.fence
    this.version = held.version
  }

  async commit(changes: Changes, closing?: Closing): Promise<number> {
    const { label, puts, deletes, open, answer, consume, cancel, expire } = changes
    const { version, status } = await this.#store.commit({
      threadId: this.#threadId,
      expectVersion: this.version,
      fence: this.#fence,
      status: closing?.status ?? 'running',
      label,
      puts: [...puts],
      deletes: [...deletes],
      open: [...open.values()],
      answer,
      consume,
      cancel,
      expire,
      ...(closing === undefined ? {} : { release: true }),
      ...(closing?.meta === undefined ? {} : { meta: closing.meta }),
    })
    this.version = version
    this.status = status
    this.written = true
    return version
  }
}
