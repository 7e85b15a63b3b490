import type { Damage, Page } from '../core/store.ts'

/** Everything on all pages of a list. */
export interface Collected<T> {
  readonly items: readonly T[]
  readonly damaged: readonly Damage[]
}

/** Walks through all pages that `load` gives. */
export async function collectPages<T>(
  load: (after: { readonly after?: string }) => Promise<Page<T>>,
): Promise<Collected<T>> {
  const items: T[] = []
  const damaged: Damage[] = []
  let after: { readonly after?: string } = {}
  for (;;) {
    const page = await load(after)
    for (const item of page.items) items.push(item)
    damaged.push(...page.damaged)
    if (page.next === undefined) return { items, damaged }
    after = { after: page.next }
  }
}
