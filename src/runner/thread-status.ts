import type { ThreadView } from '../core/command.ts'
import type { Lease, ThreadHead } from '../core/store.ts'
import { metaOf } from './thread-record.ts'

/** The status as everybody sees it. */
export function statusOf(head: ThreadHead): ThreadView['status'] {
  if (head.status === 'running' && head.lease?.alive !== true) return 'crashed'
  if (head.status !== 'ready') return head.status
  // Something came for it and nobody has gone on yet: it is still what it was.
  return metaOf(head).error === undefined ? 'suspended' : 'failed'
}

/** Who runs it, while somebody does. */
export function holderOf(
  lease: Lease | undefined,
): { readonly pid: number; readonly host: string; readonly since: string } | undefined {
  return lease?.alive === true ? lease.holder : undefined
}
