import type { Store } from '../../core/store.ts'
import { auditLineOf, hashOfLine, NO_HASH, type AuditLine } from './audit-line.ts'
import { Layout } from './layout.ts'
import { readOwnText } from './own-file.ts'

/** Where the chain of lines breaks. */
export interface AuditBreak {
  readonly line: number
  readonly problem: string
}

/** A log of answers as it was read, up to its first broken line. */
export interface AuditTrail {
  readonly path: string
  readonly lines: readonly AuditLine[]
  /** Hash of the last line: kept elsewhere, it shows that nothing was changed or cut off since. */
  readonly head: string
  readonly broken?: AuditBreak
}

/** `unknown`: its thread is gone or can't be read. */
export type Arrival = 'arrived' | 'missing' | 'unknown'

/** Reads the answers of a store's folder and follows their chain. */
export function readAudit(root: string): AuditTrail {
  const path = new Layout(root).audit
  const text = readOwnText(path) ?? ''
  // What follows the last line break was cut off, or is being written.
  return trailOf(path, text.split('\n').slice(0, -1))
}

/** Follows the chain of lines, wherever they are kept. */
export function trailOf(path: string, texts: readonly string[]): AuditTrail {
  const lines: AuditLine[] = []
  let head = NO_HASH
  for (const [index, one] of texts.entries()) {
    const line = auditLineOf(one)
    const problem = problemOf(line, index + 1, head)
    if (line === undefined || problem !== undefined) {
      return { path, lines, head, broken: { line: index + 1, problem: problem ?? 'is no line' } }
    }
    lines.push(line)
    head = hashOfLine(one)
  }
  return { path, lines, head }
}

/** Tells of each line whether its thread has the answer. */
export async function arrivalsOf(
  store: Pick<Store, 'load'>,
  lines: readonly AuditLine[],
): Promise<readonly Arrival[]> {
  const requests = new Map<string, ReadonlyMap<string, string | undefined> | undefined>()
  for (const { thread } of lines) {
    if (requests.has(thread)) continue
    const rows = (await store.load(thread).catch(() => undefined))?.interrupts
    requests.set(thread, rows && new Map(rows.map(({ id, answer }) => [id, answer?.requestId])))
  }
  return lines.map(({ thread, interrupt, requestId }) => {
    const answered = requests.get(thread)
    if (answered === undefined) return 'unknown'
    return answered.get(interrupt) === requestId ? 'arrived' : 'missing'
  })
}

function problemOf(line: AuditLine | undefined, number: number, prev: string): string | undefined {
  if (line === undefined) return 'is not an answer'
  if (line.prev !== prev) return 'does not follow the line before it'
  return line.n === number ? undefined : `has number ${line.n}`
}
