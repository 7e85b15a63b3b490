import type { Services } from '../core/clock.ts'
import { StoredValueError } from '../core/codec.ts'
import type { ThreadMeta, ThreadView } from '../core/command.ts'
import type { Interrupt } from '../core/interrupt.ts'
import type {
  Page,
  PendingQuery,
  PendingThread,
  Store,
  ThreadHead,
  ThreadQuery,
} from '../core/store.ts'
import { dueOf, settleSeen } from './deadline.ts'
import { metaOf, seenOf } from './thread-record.ts'
import { holderOf, statusOf } from './thread-status.ts'

/** A thread in a list. */
export interface ThreadSummary {
  readonly threadId: string
  readonly flow: string
  readonly status: ThreadView['status']
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly meta: ThreadMeta
  readonly holder?: { readonly pid: number; readonly host: string; readonly since: string }
}

/** A waiting thread in a list. */
export interface PendingView extends ThreadSummary {
  readonly interrupts: readonly Interrupt[]
  readonly answered: number
}

/** What of a store lists need: to read them, and to settle what they find to be due. */
export type ListStore = Pick<Store, 'pending' | 'threads' | 'load' | 'commit'>

/** Threads that wait for a person, with what they ask. What is due is recorded as such, never run. */
export async function listPending(
  store: ListStore,
  query: PendingQuery,
  services: Services,
): Promise<Page<PendingView>> {
  const page = await store.pending(query)
  const due = page.items.filter(({ open }) => dueOf(open, services.clock()).length > 0)
  for (const { head } of due) await settleSeen(store, head.id, services).catch(unlessStored)
  const now = due.length === 0 ? page : await store.pending(query)
  return readPage(now, pendingOf, ({ head }) => head.id)
}

/** Threads of any status. */
export async function listThreads(
  store: ListStore,
  query: ThreadQuery,
): Promise<Page<ThreadSummary>> {
  const page = await store.threads(query)
  return readPage(page, summaryOf, ({ id }) => id)
}

/** Each item as it reads. One that can't be read is named beside the others, and stops nothing. */
function readPage<From, To>(
  page: Page<From>,
  read: (item: From) => To,
  idOf: (item: From) => string,
): Page<To> {
  const items: To[] = []
  const damaged = [...page.damaged]
  for (const item of page.items) {
    try {
      items.push(read(item))
    } catch (error) {
      const { message } = unlessStored(error)
      const threadId = idOf(item)
      damaged.push({ threadId, file: `thread "${threadId}"`, problem: message })
    }
  }
  return { ...page, items, damaged }
}

/** What says that a stored value can't be read; other errors are thrown on. */
function unlessStored(error: unknown): StoredValueError {
  if (error instanceof StoredValueError) return error
  throw error
}

/** What a list says of a thread. */
export function summaryOf(head: ThreadHead): ThreadSummary {
  const holder = holderOf(head.lease)
  return {
    threadId: head.id,
    flow: head.flow,
    status: statusOf(head),
    version: head.version,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    meta: metaOf(head),
    ...(holder === undefined ? {} : { holder }),
  }
}

function pendingOf({ head, open, answered }: PendingThread): PendingView {
  const interrupts = open.map((row) => seenOf(row, head.id))
  return Object.assign(summaryOf(head), { interrupts, answered })
}
