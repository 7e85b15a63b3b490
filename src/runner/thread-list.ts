import type { ThreadMeta, ThreadView } from '../core/command.ts'
import type { Interrupt } from '../core/interrupt.ts'
import type { PendingThread, ThreadHead } from '../core/store.ts'
import { metaOf, seenOf } from './thread-record.ts'
import { holderOf, statusOf } from './thread-view.ts'

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

export function pendingOf({ head, open, answered }: PendingThread): PendingView {
  const interrupts = open.map((row) => seenOf(row, head.id))
  return Object.assign(summaryOf(head), { interrupts, answered })
}
