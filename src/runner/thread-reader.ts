import type { Services } from '../core/clock.ts'
import type { ThreadView } from '../core/command.ts'
import { NoStoreError, UnknownThreadError } from '../core/errors.ts'
import type {
  CheckpointInfo,
  Page,
  PendingQuery,
  Store,
  StoredThread,
  ThreadQuery,
} from '../core/store.ts'
import type { InterruptSignal } from '../runtime/signal.ts'
import { systemServices } from '../system/services.ts'
import { dueOf, settleSeen } from './deadline.ts'
import { checkpointOf } from './fork.ts'
import { treeOf } from './stored-tree.ts'
import { pendingOf, summaryOf, type PendingView, type ThreadSummary } from './thread-list.ts'
import { viewOf } from './thread-view.ts'

/** What reading threads needs. */
export interface ReaderOptions {
  readonly store?: Store | undefined
  readonly services?: Partial<Services> | undefined
}

/** Tells about threads. It knows no flow and runs none, so it comes without the engine. */
export class ThreadReader {
  protected readonly services: Services
  readonly #store: Store | undefined

  constructor({ store, services }: ReaderOptions) {
    this.#store = store
    this.services = { ...systemServices(), ...services }
  }

  /** A thread as it is, or as it was at a checkpoint. @throws UnknownThreadError, HexagonError E2122 */
  async get(threadId: string, options: { readonly at?: number } = {}): Promise<ThreadView> {
    const stored = await this.load(threadId)
    const found = await checkpointOf(this.store('Looking back'), stored, options.at)
    const view = viewOf(found)
    // Whoever ran it then has nothing to do with whether it is held now.
    return found !== stored && view.status === 'crashed' ? { ...view, status: 'running' } : view
  }

  /**
   * What a thread waits for, as the tree its components raised: leaves are its open questions, around them what
   * gathered them. Undefined when nothing is open. @throws UnknownThreadError
   */
  async interruptTree(threadId: string): Promise<InterruptSignal | undefined> {
    return treeOf(await this.load(threadId))
  }

  /** Threads that wait for a person, with what they ask. What is due is recorded as such, never run. */
  async pending(query: PendingQuery = {}): Promise<Page<PendingView>> {
    const store = this.store('Listing what waits')
    const page = await store.pending(query)
    const due = page.items.filter(({ open }) => dueOf(open, this.services.clock()).length > 0)
    for (const { head } of due) await settleSeen(store, head.id, this.services)
    const now = due.length === 0 ? page : await store.pending(query)
    return { ...now, items: now.items.map(pendingOf) }
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadSummary>> {
    const page = await this.store('Listing threads').threads(query)
    return { ...page, items: page.items.map(summaryOf) }
  }

  /** Checkpoints of a thread, newest first. */
  async history(
    threadId: string,
    query: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CheckpointInfo[]> {
    await this.load(threadId)
    return this.store('History').history(threadId, query)
  }

  /** The store; `what` is told where there is none. @throws NoStoreError */
  protected store(what: string): Store {
    if (this.#store === undefined) throw new NoStoreError(what)
    return this.#store
  }

  /** @throws UnknownThreadError */
  protected async load(threadId: string): Promise<StoredThread> {
    const stored = await this.store(`Thread "${threadId}"`).load(threadId)
    if (stored === undefined) throw new UnknownThreadError(threadId)
    return stored
  }
}
