/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

const LIMIT = 400

/** What changed between two lists of lines, in order; long lists are compared at their beginning. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const old = before.slice(0, LIMIT)
  const now = after.slice(0, LIMIT)
  const lengths = commonLengths(old, now)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    const left = old[i]
    const right = now[j]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      i += 1
      j += 1
    } else if (
      right === undefined ||
      (left !== undefined && at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      lines.push({ kind: 'gone', text: left ?? '' })
      i += 1
    } else {
      lines.push({ kind: 'new', text: right })
      j += 1
    }
  }
  return lines
}

/** Length of the longest common subsequence of each pair of ends. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    Array<number>(now.length + 1).fill(0),
  )
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? []
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] =
        old[i] === now[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1))
    }
  }
  return lengths
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0
}
