// Rewrites the values in a stored thread, without its flow and without a store.

import { decode, encode, StoredValueError } from '../core/codec.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { digestOf } from '../runtime/question.ts'
import type { QuestionRow } from '../runtime/question.ts'
import { sha256 } from '../system/services.ts'
import { rewriteRecord } from './record-values.ts'
import { nodesAround, type Migrate, type Rewrite } from './stored-value.ts'

interface Row {
  readonly id: string
  readonly body: string
  readonly answer?: { readonly value: string }
}

/**
 * Hands every value stored in a thread to `migrate` and writes what it gives back: state, updates, inputs,
 * step results, what components kept, questions and answers, at every level of nesting. `bytes` is what
 * `hexagon export` writes, or a JSON list of `[key, text]` records. Where nothing changes the same bytes come back.
 *
 * @throws StoredValueError when the bytes can't be decoded, and whatever `migrate` throws
 */
export function migrateCheckpoint(bytes: Uint8Array, migrate: Migrate): Uint8Array {
  const text = textOf(bytes)
  const document = parse(text, 'checkpoint')
  const migrated = Array.isArray(document)
    ? migrateRecords(document, migrate)
    : migrateDocument(document, migrate)
  if (JSON.stringify(migrated) === JSON.stringify(document)) return bytes
  const end = /\s*$/u.exec(text)?.[0] ?? ''
  return new TextEncoder().encode(JSON.stringify(migrated) + end)
}

function migrateDocument(document: JsonValue, migrate: Migrate): JsonValue {
  if (!isThread(document))
    throw new StoredValueError('checkpoint', 'it is neither a thread nor a list of records')
  return {
    ...document,
    records: migrateRecords(document.records, migrate),
    interrupts: document.interrupts.map((row) => migrateRow(row, migrate)),
  }
}

function migrateRecords(records: readonly JsonValue[], migrate: Migrate): JsonValue[] {
  return records.map((entry) => {
    const [key, text] = Array.isArray(entry) ? entry : []
    if (typeof key !== 'string' || typeof text !== 'string')
      throw new StoredValueError('checkpoint', 'a record is not a key with its text')
    return [key, rewritten(text, key, (stored) => rewriteRecord(key, stored, migrate))]
  })
}

function migrateRow(row: JsonValue, migrate: Migrate): JsonValue {
  if (!isRow(row)) throw new StoredValueError('checkpoint', 'a question is damaged')
  const { id, body, answer }: Row = row
  const nodes = body === '' ? [] : nodesAround((read(body, id) as QuestionRow).task)
  const rewrite: Rewrite = (value, kind, key) =>
    migrate(value, { kind, nodes, record: id, ...(key === undefined ? {} : { key }) }) ?? value
  return {
    ...row,
    body: body === '' ? '' : rewritten(body, id, (stored) => questionOf(stored, rewrite)),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            ...answer,
            value: rewritten(answer.value, id, (value) => rewrite(value, 'answer')),
          },
        }),
  }
}

/** A question with its new parts; its digest is that of what it shows now. */
function questionOf(stored: unknown, rewrite: Rewrite): unknown {
  const row = stored as QuestionRow
  const parts = ['payload', 'default', 'metadata'] as const
  const next = { ...row }
  for (const part of parts)
    if (row[part] !== undefined)
      Object.assign(next, { [part]: rewrite(row[part], 'question', part) })
  if (JSON.stringify(encode(next.payload)) === JSON.stringify(encode(row.payload))) return next
  return { ...next, digest: digestOf({ ...next, jsonSchema: next.schema }, sha256) }
}

/** The text of a stored value after `change`; the very same text where that changes nothing. */
function rewritten(text: string, where: string, change: (stored: unknown) => unknown): string {
  const before = JSON.stringify(encode(read(text, where)))
  const after = JSON.stringify(encode(change(read(text, where)), where))
  return after === before ? text : after
}

function read(text: string, where: string): unknown {
  return decode(parse(text, where), where)
}

function parse(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw new StoredValueError(where, 'it is not JSON', { cause: error })
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new StoredValueError('checkpoint', 'it is not UTF-8', { cause: error })
  }
}

interface ThreadDocument extends JsonObject {
  readonly records: readonly JsonValue[]
  readonly interrupts: readonly JsonValue[]
}

function isThread(value: JsonValue): value is ThreadDocument {
  return (
    typeof value === 'object' &&
    value !== null &&
    'records' in value &&
    Array.isArray(value['records']) &&
    'interrupts' in value &&
    Array.isArray(value['interrupts'])
  )
}

function isRow(value: JsonValue): value is JsonObject & Row {
  if (typeof value !== 'object' || value === null) return false
  const { id, body, answer } = value as unknown as Partial<Row>
  const isAnswer = answer === undefined || typeof answer.value === 'string'
  return typeof id === 'string' && typeof body === 'string' && isAnswer
}
