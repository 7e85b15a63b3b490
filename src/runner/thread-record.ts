// How a thread looks in its store, read and written in one place.

import { decode, encode, StoredValueError } from '../core/codec.ts'
import type { ThreadMeta } from '../core/command.ts'
import type { AnswerSource, Interrupt } from '../core/interrupt.ts'
import type { JsonValue } from '../core/json.ts'
import type { InterruptRow, StoredThread } from '../core/store.ts'
import type { Memo } from '../runtime/memo.ts'
import { interruptOf, type QuestionRow } from '../runtime/question.ts'
import { Restored } from '../runtime/restored.ts'
import { isMeta, isQuestionRow } from './stored-form.ts'

/** Version of what records mean; a newer one is refused. */
export const FORMAT = 1

/** The record under key `run`. */
export interface RunRecord {
  readonly input: unknown
  readonly output?: unknown
}

/** What the source of a stored answer holds. */
export interface StoredSource extends AnswerSource {
  readonly digest?: string
  /** The flow's own validator has seen it. */
  readonly validated?: boolean
}

/** The value a record holds. @throws StoredValueError */
export function parse<T>(text: string, where: string): T {
  return decode(jsonIn(text, where), where) as T
}

function jsonIn(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (cause) {
    throw new StoredValueError(where, 'is not JSON', { cause })
  }
}

export function textOf(value: unknown): string {
  return JSON.stringify(encode(value))
}

export function metaOf(thread: { readonly meta: string }): ThreadMeta {
  const meta = parse<unknown>(thread.meta, 'meta')
  if (isMeta(meta)) return meta
  throw new StoredValueError('meta', 'is not what a thread says of itself')
}

export function runRecordOf(thread: StoredThread): RunRecord {
  const text = thread.records.get('run')
  const record = text === undefined ? undefined : parse<RunRecord | null>(text, 'run')
  return record ?? { input: undefined }
}

export function questionOf(row: InterruptRow): QuestionRow {
  const question = parse<unknown>(row.body, `question ${row.id}`)
  if (isQuestionRow(question)) return question
  throw new StoredValueError(`question ${row.id}`, 'is not a question')
}

/** A stored question as everybody sees it. */
export function seenOf(row: InterruptRow, threadId: string): Interrupt {
  return interruptOf(questionOf(row), threadId)
}

/** What the engine takes over from a stored thread. */
export function restoredOf(thread: StoredThread): Restored {
  const restored = new Restored()
  for (const [key, text] of thread.records) {
    if (key !== 'run') restored.add(key, text, (stored) => parse<Memo>(stored, key))
  }
  for (const row of thread.interrupts) {
    if (row.status === 'consumed' || row.status === 'cancelled' || row.body === '') continue
    const question = questionOf(row)
    const list = restored.questions.get(question.task) ?? []
    list.push({
      row: question,
      ...(row.answer === undefined ? {} : { answer: answerOf(row.id, row.answer) }),
      ...(row.status === 'expired' ? { expired: true } : {}),
    })
    restored.questions.set(question.task, list)
  }
  return restored
}

function answerOf(
  id: string,
  answer: { readonly value: string; readonly source: string },
): { value: unknown; validated: boolean } {
  const source = parse<StoredSource>(answer.source, `source of ${id}`)
  return { value: parse(answer.value, `answer of ${id}`), validated: source.validated === true }
}
