import type { Page, PendingQuery, Store, ThreadQuery } from '../core/store.ts'
import {
  listPending,
  listThreads,
  type ListStore,
  type PendingView,
  type ThreadSummary,
} from '../runner/thread-list.ts'
import { FileLists } from '../stores/file/lists.ts'
import { systemServices } from '../system/services.ts'
import { storeOpener, type StoreChoice } from './store-choice.ts'

/** What waits and which threads there are: what a reader of threads has, or less. */
export interface Lists {
  pending(query: PendingQuery): Promise<Page<PendingView>>
  threads(query: ThreadQuery): Promise<Page<ThreadSummary>>
}

/**
 * The lists of a chosen store. They come without the rest of the store and without what reads whole threads,
 * both of which take longer to load than most lists to read.
 */
export function openLists(choice: StoreChoice): Lists {
  const store = listStore(choice)
  const services = systemServices()
  return {
    pending: async (query) => listPending(await store, query, services),
    threads: async (query) => listThreads(await store, query),
  }
}

async function listStore(choice: StoreChoice): Promise<ListStore> {
  if (choice.kind !== 'file' || choice.keys !== undefined) return (await storeOpener(choice))()
  const lists = new FileLists(choice.path)
  let opened: Promise<Store> | undefined
  const whole = (): Promise<Store> => (opened ??= storeOpener(choice).then((open) => open()))
  return {
    pending: (query) => lists.pending(query),
    threads: (query) => lists.threads(query),
    load: async (threadId) => (await whole()).load(threadId),
    commit: async (batch) => (await whole()).commit(batch),
  }
}
