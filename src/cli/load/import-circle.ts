import type { PlannedFile } from './plan.ts'

/** The first way round among files that import each other, its start again at its end. */
export function importCircle(files: readonly PlannedFile[]): string[] | undefined {
  const done = new Set<number>()
  const search = (place: number, trail: readonly number[]): number[] | undefined => {
    const start = trail.indexOf(place)
    if (start >= 0) return [...trail.slice(start), place]
    if (done.has(place)) return undefined
    done.add(place)
    for (const next of files[place]?.imports ?? []) {
      const circle = search(next, [...trail, place])
      if (circle !== undefined) return circle
    }
    return undefined
  }
  for (const place of files.keys()) {
    const circle = search(place, [])
    if (circle !== undefined) return circle.flatMap((index) => files[index]?.path ?? [])
  }
  return undefined
}
