import { createHash } from 'node:crypto'

import type { GivenAnswer } from '../change.ts'
import { isObject } from './json-file.ts'

/** One answer as the audit log has it. */
export interface AuditLine {
  /** Counts the lines from 1. */
  readonly n: number
  /** SHA-256 of the line before; zeros in the first. */
  readonly prev: string
  readonly at: string
  readonly thread: string
  readonly interrupt: string
  readonly kind: string
  readonly by: string
  /** What the answer says of where it came from: system user, way, digest of the question. */
  readonly source: unknown
  readonly requestId: string
  /** Of approvals and choices, and what was decided about a step. Others may be secret, and these lines outlive their thread. */
  readonly value?: unknown
}

/** What the first line has instead of a hash. */
export const NO_HASH = '0'.repeat(64)

const SHOWN_KINDS: ReadonlySet<string> = new Set(['approval', 'choice', 'breakpoint'])

/** The hash by which the next line holds on to this one. */
export function hashOfLine(line: string): string {
  return createHash('sha256').update(line).digest('hex')
}

/** What an answer's line says, apart from its place. */
export function entryOf(
  thread: string,
  kind: string,
  { id, answer }: GivenAnswer,
): Omit<AuditLine, 'n' | 'prev'> {
  const { by, at, requestId, source, value } = answer
  const entry = { at, thread, interrupt: id, kind, by, source: parsed(source), requestId }
  if (SHOWN_KINDS.has(kind)) return { ...entry, value: parsed(value) }
  return kind === 'doubt' ? { ...entry, value: decisionIn(parsed(value)) } : entry
}

/** What was decided about a step in doubt, without the result it was given. */
function decisionIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Reflect.get(value, 'happened') === true ? 'happened' : 'run'
}

/** The lines of new entries behind the last one there is. */
export function linesAfter(
  last: string | undefined,
  entries: readonly ReturnType<typeof entryOf>[],
): string[] {
  let prev = last === undefined ? NO_HASH : hashOfLine(last)
  let n = last === undefined ? 0 : (auditLineOf(last)?.n ?? 0)
  return entries.map((entry) => {
    const line = JSON.stringify({ n: ++n, prev, ...entry })
    prev = hashOfLine(line)
    return line
  })
}

/** Reads a line; undefined when it is none. */
export function auditLineOf(line: string): AuditLine | undefined {
  const value = parsed(line)
  const isLine =
    isObject(value) &&
    typeof value['n'] === 'number' &&
    ['prev', 'at', 'thread', 'interrupt', 'kind', 'by', 'requestId'].every(
      (key) => typeof value[key] === 'string',
    )
  return isLine ? (value as unknown as AuditLine) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
