import type {
  Page,
  PendingQuery,
  PendingThread,
  ThreadHead,
  ThreadQuery,
} from '../../core/store.ts'
import { Disk } from './disk.ts'
import { StoreFolder } from './folder.ts'
import { Layout } from './layout.ts'
import { listHeads, listPending } from './listing.ts'

/** The lists of a file store, without what writes to one: a command that only lists needs no more. */
export class FileLists {
  readonly #layout: Layout
  readonly #disk: Disk
  readonly #folder: StoreFolder

  constructor(root: string) {
    this.#layout = new Layout(root)
    this.#disk = new Disk(this.#layout.temp)
    this.#folder = new StoreFolder(this.#layout, this.#disk, {
      createdBy: 'hexagon',
      texts: 'plain',
    })
  }

  /** @throws StoreWriteError E1317, NewerFormatError */
  async pending(query: PendingQuery = {}): Promise<Page<PendingThread>> {
    if (!this.#folder.exists()) return { items: [], damaged: [] }
    return listPending({ layout: this.#layout, disk: this.#disk }, query)
  }

  /** @throws StoreWriteError E1317, NewerFormatError */
  async threads(query: ThreadQuery = {}): Promise<Page<ThreadHead>> {
    if (!this.#folder.exists()) return { items: [], damaged: [] }
    return listHeads({ layout: this.#layout, disk: this.#disk }, query)
  }
}
