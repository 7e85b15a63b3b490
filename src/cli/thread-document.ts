import { HexagonError } from '../core/errors.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { InterruptRow, StoredAnswer, StoredThread } from '../core/store.ts'
import { quote } from './value/quote.ts'

// A thread as one portable document. Records and questions go in as the store has them.

const FORMAT = 1
const TYPE = 'hexagon-thread'

/** A thread as read from a document. */
export interface PortableThread {
  readonly id: string
  readonly flow: string
  readonly status: 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly meta: string
  readonly records: readonly (readonly [string, string])[]
  readonly interrupts: readonly InterruptRow[]
}

/** The document of a thread. */
export function threadDocument({ head, records, interrupts }: StoredThread): JsonObject {
  return {
    type: TYPE,
    format: FORMAT,
    id: head.id,
    flow: head.flow,
    status: head.status,
    version: head.version,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    meta: head.meta,
    records: [...records].map(([key, value]) => [key, value]),
    interrupts: interrupts.map(rowJson),
  }
}

/** In one order, whichever store it comes from. */
function rowJson({ id, ordinal, kind, status, expiresAt, body, answer }: InterruptRow): JsonObject {
  const row = { id, ordinal, kind, status, body }
  return {
    ...row,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(answer === undefined ? {} : { answer: answerJson(answer) }),
  }
}

function answerJson({ value, source, by, at, requestId }: StoredAnswer): JsonObject {
  return { value, source, by, at, requestId }
}

/** Reads a document that {@link threadDocument} wrote. @throws HexagonError E1221 */
export function readThreadDocument(value: unknown, name: string): PortableThread {
  if (!isRecord(value) || value['type'] !== TYPE)
    throw notADocument(name, 'it is not an exported thread')
  if (value['format'] !== FORMAT) {
    throw notADocument(
      name,
      `it has format ${quote(value['format'])}, this hexagon reads ${FORMAT}`,
    )
  }
  const { id, flow, meta, records, interrupts } = value
  const isWhole =
    isText(id) &&
    isText(flow) &&
    isText(meta) &&
    isListOf(records, isEntry) &&
    isListOf(interrupts, isRow)
  if (!isWhole) throw notADocument(name, 'parts of it are missing or damaged')
  return { id, flow, meta, status: statusOf(value['status']), records, interrupts }
}

/** Whatever ran there does not run here. */
function statusOf(status: unknown): PortableThread['status'] {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
    ? status
    : 'suspended'
}

function isEntry(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(isText)
}

const ROW_STATUS: ReadonlySet<unknown> = new Set([
  'open',
  'answered',
  'consumed',
  'cancelled',
  'expired',
])

function isRow(value: unknown): value is InterruptRow {
  if (!isRecord(value)) return false
  const { id, ordinal, kind, status, body, answer, expiresAt } = value
  return (
    isText(id) &&
    Number.isInteger(ordinal) &&
    isText(kind) &&
    ROW_STATUS.has(status) &&
    isText(body) &&
    (expiresAt === undefined || isText(expiresAt)) &&
    (answer === undefined || isAnswer(answer))
  )
}

function isAnswer(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['value', 'source', 'by', 'at', 'requestId'].every((field) => isText(value[field]))
  )
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isRecord(value: unknown): value is Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notADocument(name: string, problem: string): HexagonError {
  return new HexagonError('E1221', `${name} cannot be imported: ${problem}`, {
    hint: 'Write one with: hexagon export <thread> > thread.json',
    details: { file: name },
  })
}
