// A CheckpointFeed tells the checkpoints of a thread in the order they were committed, those that other
// processes commit while it looks on among them.
//
// Invariants:
//   1. Every checkpoint is told once, the oldest first.
//   2. It ends when the thread is over, or comes to rest after it has moved.

import type { ThreadView } from '../../core/command.ts'
import type { CheckpointInfo } from '../../core/store.ts'
import type { ThreadReader } from '../../runner/thread-reader.ts'

/** What a feed reads, and whom it tells. */
export interface FeedOptions {
  readonly reader: Pick<ThreadReader, 'get' | 'history'>
  readonly threadId: string
  /** At most so many of those that are there already. */
  readonly limit?: number | undefined
  readonly tell: (checkpoint: CheckpointInfo) => void
  /** Resolves when it may be worth to look again; false when nobody wants to know any more. */
  readonly wait: () => Promise<boolean>
}

const PAGE = 100

/** Follows a thread; gives it as it is when the feed ends. */
export async function feedCheckpoints(options: FeedOptions): Promise<ThreadView> {
  const { reader, threadId } = options
  let view = await reader.get(threadId)
  const first = view
  let told = await tellNewer(options, undefined)
  while (!isOver(view, first)) {
    if (!(await options.wait())) break
    // The status is read before the checkpoints: the last of them is told before the end.
    view = await reader.get(threadId)
    told = await tellNewer(options, told)
  }
  return view
}

/** One that waits is followed through the next time somebody goes on with it. */
function isOver({ status, version }: ThreadView, first: ThreadView): boolean {
  if (status === 'running') return false
  if (status === 'completed' || status === 'cancelled') return true
  return first.status === 'running' || version !== first.version
}

/** Tells what is newer than `told`, or the newest `limit` at first; gives the newest that has been told. */
async function tellNewer(options: FeedOptions, told: number | undefined): Promise<number> {
  const { limit = Infinity, tell } = options
  const newer = await newerThan(told ?? 0, told === undefined ? limit : Infinity, options)
  for (const checkpoint of newer.toReversed()) tell(checkpoint)
  return newer[0]?.version ?? told ?? 0
}

/** The newest checkpoints, newest first: `most` at most, and none up to version `least`. */
async function newerThan(
  least: number,
  most: number,
  { reader, threadId }: FeedOptions,
): Promise<CheckpointInfo[]> {
  const newer: CheckpointInfo[] = []
  let page = await reader.history(threadId, { limit: PAGE })
  for (;;) {
    const wanted = page.filter(({ version }) => version > least)
    newer.push(...wanted)
    const before = wanted.at(-1)?.version
    const isLast = wanted.length < PAGE || before === undefined
    if (isLast || newer.length >= most) return newer.slice(0, most)
    page = await reader.history(threadId, { before, limit: PAGE })
  }
}
