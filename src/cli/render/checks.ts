import type { Check, CheckState } from '../doctor/check.ts'
import { oneLine } from '../terminal/safe.ts'
import type { View } from './view.ts'

/** So many of one kind are named one by one; a store can have thousands. */
const SHOWN = 20

/** What was looked at, one line each, problems with what to do about them. */
export function renderChecks(checks: readonly Check[], view: View): string[] {
  const counts = new Map<string, number>()
  const lines: string[] = []
  for (const check of checks) {
    const { kind = '', state } = check
    const group = `${kind} ${state}`
    const count = (counts.get(group) ?? 0) + 1
    if (kind !== '') counts.set(group, count)
    if (kind === '' || count <= SHOWN) lines.push(...linesOf(check, view))
  }
  return [...lines, ...moreLines(counts, view)]
}

function moreLines(counts: ReadonlyMap<string, number>, { symbols }: View): string[] {
  const many = [...counts].filter(([, count]) => count > SHOWN)
  return many.map(([group, count]) => `  ${symbols.more} and ${count - SHOWN} more: ${group}`)
}

function linesOf({ state, text, hint }: Check, view: View): string[] {
  const line = `${signOf(state, view)} ${oneLine(text)}`
  return hint === undefined ? [line] : [line, `  ${view.paint.dim(oneLine(hint))}`]
}

function signOf(state: CheckState, { paint, symbols }: View): string {
  switch (state) {
    case 'ok':
      return paint.green(symbols.ok)
    case 'fixed':
      return paint.green(symbols.retry)
    case 'note':
      return paint.yellow(symbols.warn)
    case 'problem':
      return paint.red(symbols.fail)
    default:
      return state satisfies never
  }
}
