import type { Damage, Page, ThreadQuery } from '../core/store.ts'
import type { PendingView, ThreadSummary } from '../runner/thread-list.ts'
import type { Lists } from './lists.ts'

/** Everything on all pages of a list. */
export interface Collected<T> {
  readonly items: readonly T[]
  readonly damaged: readonly Damage[]
}

/** Every page of a file store begins with a look at the whole folder, so few large ones cost less. */
const PAGE = 10_000

/** Where a page begins and how long it is. */
interface PageQuery {
  readonly after?: string
  readonly limit: number
}

/** Walks through all pages that `load` gives. */
export async function collectPages<T>(
  load: (page: PageQuery) => Promise<Page<T>>,
): Promise<Collected<T>> {
  const items: T[] = []
  const damaged: Damage[] = []
  let query: PageQuery = { limit: PAGE }
  for (;;) {
    const page = await load(query)
    for (const item of page.items) items.push(item)
    damaged.push(...page.damaged)
    if (page.next === undefined) return { items, damaged }
    query = { limit: PAGE, after: page.next }
  }
}

/** Every thread, through all pages. Damaged ones are not among them. */
export async function allThreads(
  runner: Lists,
  query: ThreadQuery = {},
): Promise<readonly ThreadSummary[]> {
  const { items } = await collectPages((page) => runner.threads({ ...query, ...page }))
  return items
}

/** Everything that waits, through all pages. */
export async function allPending(runner: Lists): Promise<readonly PendingView[]> {
  const { items } = await collectPages((page) => runner.pending(page))
  return items
}
