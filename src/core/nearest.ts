/** The candidate within edit distance 2 (3 from 8 letters up), if any. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = name.length >= 8 ? 3 : 2
  let best: { name: string; distance: number } | undefined
  for (const candidate of candidates.slice(0, 2000)) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const distance = editDistance(name, candidate)
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { name: candidate, distance }
  }
  return best?.name
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute))
    }
    row = next
  }
  return row[b.length] ?? 0
}
