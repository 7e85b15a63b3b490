import type { Address } from '../core/address.ts'
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
import { checkpointOf } from './fork.ts'
import { graphAt, graphsIn } from './inner-graph.ts'
import { treeOf } from './stored-tree.ts'
import { listPending, listThreads, type PendingView, type ThreadSummary } from './thread-list.ts'
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

  /**
   * A thread as it is, or as it was at a checkpoint; with `within` its state, tasks and next nodes are those of a
   * subgraph. @throws UnknownThreadError, UnknownNameError, HexagonError E2122
   */
  async get(
    threadId: string,
    options: { readonly at?: number; readonly within?: Address } = {},
  ): Promise<ThreadView> {
    const stored = await this.load(threadId)
    const found = await checkpointOf(this.store('Looking back'), stored, options.at)
    const { within } = options
    const view = viewOf(found, within && graphAt(found, within))
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

  /** Addresses of the subgraphs in which a thread stands. @throws UnknownThreadError */
  async graphs(threadId: string): Promise<readonly Address[]> {
    return graphsIn(await this.load(threadId)).map(({ address }) => address)
  }

  /** Threads that wait for a person, with what they ask. What is due is recorded as such, never run. */
  async pending(query: PendingQuery = {}): Promise<Page<PendingView>> {
    return listPending(this.store('Listing what waits'), query, this.services)
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadSummary>> {
    return listThreads(this.store('Listing threads'), query)
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
