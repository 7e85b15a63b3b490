import type { Page } from '../core/store.ts'

const DEFAULT_LIMIT = 100

/** The keys behind the cursor, in order. */
export function keysAfter(keys: Iterable<string>, after: string | undefined): string[] {
  const sorted = [...keys].toSorted()
  return after === undefined ? sorted : sorted.filter((key) => key > after)
}

/** Walks `keys` until a page is full; `read` gives nothing for what is not on the list. */
export function pageOf<T>(
  keys: readonly string[],
  read: (key: string) => T | undefined,
  limit: number = DEFAULT_LIMIT,
): Page<T> {
  const items: T[] = []
  let last: string | undefined
  for (const key of keys) {
    const item = read(key)
    if (item === undefined) continue
    if (items.length >= limit)
      return { items, damaged: [], ...(last === undefined ? {} : { next: last }) }
    items.push(item)
    last = key
  }
  return { items, damaged: [] }
}
