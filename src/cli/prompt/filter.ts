/** Finds entries of a long list by what is typed. */
export type Filter<T> = (term: string) => { readonly found: readonly T[]; readonly total: number }

const SHOWN = 50

/** Keeps the list's order, an exact match first; at most 50 are given, `total` counts all. */
export function createFilter<T>(entries: readonly T[], textOf: (entry: T) => string): Filter<T> {
  const keys = entries.map((entry) => fold(textOf(entry)))
  return (term) => {
    const wanted = fold(term.trim())
    const found: T[] = []
    let total = 0
    for (const [index, entry] of entries.entries()) {
      const key = keys[index] ?? ''
      if (!key.includes(wanted)) continue
      total += 1
      if (key === wanted) found.unshift(entry)
      else if (found.length < SHOWN) found.push(entry)
    }
    return { found: found.slice(0, SHOWN), total }
  }
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
