import { DamagedError } from '../../core/errors.ts'
import type { InterruptRow, StoredAnswer, StoredStatus, WakeRule } from '../../core/store.ts'
import type { ThreadState } from '../thread-state.ts'
import { FORMAT, isObject, parseJsonObject } from './json-file.ts'
import { embedded, extracted } from './readable-text.ts'

/** A thread as its document has it. */
export interface ThreadDocument {
  readonly state: ThreadState
  /** Number of the last record of the log that is part of it. */
  readonly through: number
}

type Members = Readonly<Record<string, unknown>>

const STATUSES: ReadonlySet<unknown> = new Set<StoredStatus>([
  'ready',
  'running',
  'suspended',
  'completed',
  'failed',
  'cancelled',
])

const ROW_STATUSES: ReadonlySet<unknown> = new Set<InterruptRow['status']>([
  'open',
  'answered',
  'consumed',
  'cancelled',
  'expired',
])

/** Writes a thread as JSON with one line for each member, record and question. */
export function textOfDocument({ state, through }: ThreadDocument): string {
  const members = [
    ['format', FORMAT],
    ['id', state.id],
    ['flow', state.flow],
    ['status', state.status],
    ['version', state.version],
    ['createdAt', state.createdAt],
    ['updatedAt', state.updatedAt],
    ['runAfter', state.runAfter],
    ['fence', state.fence],
    ['attempts', state.attempts],
    ['claimedFrom', state.claimedFrom],
    ['wake', state.wake],
    ['events', state.events],
    ['inbox', state.inbox],
    ['through', through],
  ] as const
  const lines = members
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
  const text = [
    ...lines,
    `"meta": ${embedded(state.meta)}`,
    `"records": ${textOfRecords(state.records)}`,
    `"interrupts": ${listOf([...state.interrupts.values()].map(textOfRow))}`,
  ]
  return `{\n${text.join(',\n')}\n}\n`
}

/** Reads what {@link textOfDocument} wrote, however it is laid out now. @throws DamagedError, NewerFormatError */
export function documentOf(path: string, text: string): ThreadDocument {
  const members = parseJsonObject(path, text)
  const read = new Reader(path)
  const interrupts = new Map(read.list(members, 'interrupts').map((row) => rowOf(read, row)))
  const rows = [...interrupts.values()]
  const state: ThreadState = {
    id: read.text(members, 'id'),
    flow: read.text(members, 'flow'),
    status: read.status(members, 'status'),
    version: read.number(members, 'version'),
    createdAt: read.text(members, 'createdAt'),
    updatedAt: read.text(members, 'updatedAt'),
    runAfter: read.optionalText(members, 'runAfter'),
    fence: read.number(members, 'fence'),
    attempts: read.number(members, 'attempts'),
    claimedFrom: 'claimedFrom' in members ? read.status(members, 'claimedFrom') : undefined,
    wake: members['wake'] === 'all' ? 'all' : ('any' satisfies WakeRule),
    events: read.number(members, 'events'),
    inbox: read.number(members, 'inbox'),
    meta: read.json(members, 'meta'),
    records: new Map(recordsOf(read, members['records'])),
    interrupts,
    open: rows.filter(({ status }) => status === 'open').length,
    answered: rows.filter(({ status }) => status === 'answered').length,
  }
  return { state, through: read.number(members, 'through') }
}

/** Members of a document, each of the expected kind or the document is damaged. */
class Reader {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  text(members: Members, key: string): string {
    const value = members[key]
    return typeof value === 'string' ? value : this.#refuse(key)
  }

  optionalText(members: Members, key: string): string | undefined {
    return members[key] === undefined ? undefined : this.text(members, key)
  }

  number(members: Members, key: string): number {
    const value = members[key]
    return typeof value === 'number' ? value : this.#refuse(key)
  }

  status(members: Members, key: string): StoredStatus {
    const value = members[key]
    return STATUSES.has(value) ? (value as StoredStatus) : this.#refuse(key)
  }

  rowStatus(members: Members): InterruptRow['status'] {
    const value = members['status']
    return ROW_STATUSES.has(value) ? (value as InterruptRow['status']) : this.#refuse('status')
  }

  list(members: Members, key: string): readonly unknown[] {
    const value = members[key]
    return Array.isArray(value) ? value : this.#refuse(key)
  }

  /** A text, from the JSON that stands for it. */
  json(members: Members, key: string): string {
    const value = members[key]
    if (value === undefined) return this.#refuse(key)
    try {
      return extracted(value)
    } catch {
      throw new DamagedError(this.#path, `is not a thread: "${key}" has too many levels`)
    }
  }

  members(value: unknown, key: string): Members {
    return isObject(value) ? value : this.#refuse(key)
  }

  #refuse(key: string): never {
    throw new DamagedError(this.#path, `is not a thread: "${key}" is missing or of another kind`)
  }
}

function rowOf(read: Reader, value: unknown): [string, InterruptRow] {
  const row = read.members(value, 'interrupts')
  const id = read.text(row, 'id')
  const expiresAt = read.optionalText(row, 'expiresAt')
  const answer = row['answer'] === undefined ? undefined : answerOf(read, row['answer'])
  return [
    id,
    {
      id,
      ordinal: read.number(row, 'ordinal'),
      kind: read.text(row, 'kind'),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      body: read.json(row, 'body'),
      status: read.rowStatus(row),
      ...(answer === undefined ? {} : { answer }),
    },
  ]
}

function answerOf(read: Reader, value: unknown): StoredAnswer {
  const answer = read.members(value, 'answer')
  return {
    value: read.json(answer, 'value'),
    source: read.json(answer, 'source'),
    by: read.text(answer, 'by'),
    at: read.text(answer, 'at'),
    requestId: read.text(answer, 'requestId'),
  }
}

function recordsOf(read: Reader, value: unknown): (readonly [string, string])[] {
  const pairs = Array.isArray(value) ? value : Object.entries(read.members(value, 'records'))
  return pairs.map((pair) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return [read.text({}, 'records'), '']
    return [pair[0], read.json({ [pair[0]]: pair[1] }, pair[0])]
  })
}

/** An object; or a list of pairs when a key looks like an index, since those don't keep their place. */
function textOfRecords(records: ReadonlyMap<string, string>): string {
  const entries = [...records]
  if (entries.some(([key]) => /^\d+$/.test(key))) {
    return listOf(entries.map(([key, text]) => `[${JSON.stringify(key)}, ${embedded(text)}]`))
  }
  const lines = entries.map(([key, text]) => `${JSON.stringify(key)}: ${embedded(text)}`)
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`
}

function textOfRow(row: InterruptRow): string {
  const { body, answer, ...rest } = row
  const parts = [JSON.stringify(rest).slice(0, -1), `"body":${embedded(body)}`]
  if (answer !== undefined) parts.push(`"answer":${textOfAnswer(answer)}`)
  return `${parts.join(',')}}`
}

function textOfAnswer({ value, source, ...rest }: StoredAnswer): string {
  return `{"value":${embedded(value)},"source":${embedded(source)},${JSON.stringify(rest).slice(1)}`
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n]`
}
