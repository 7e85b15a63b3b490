import type { Services } from '../core/clock.ts'
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
  for (const { head } of due) await settleSeen(store, head.id, services)
  const now = due.length === 0 ? page : await store.pending(query)
  return { ...now, items: now.items.map(pendingOf) }
}

/** Threads of any status. */
export async function listThreads(
  store: ListStore,
  query: ThreadQuery,
): Promise<Page<ThreadSummary>> {
  const page = await store.threads(query)
  return { ...page, items: page.items.map(summaryOf) }
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
