const LEAST = 4

/** For each id the shortest beginning that no other has, of at least 4 characters. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted()
  return new Map(
    sorted.map((id, index) => {
      const before = sharedLength(id, sorted[index - 1] ?? '')
      const after = sharedLength(id, sorted[index + 1] ?? '')
      return [id, id.slice(0, Math.max(LEAST, Math.max(before, after) + 1))]
    }),
  )
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
