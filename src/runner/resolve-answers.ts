import type { ResumeCommand } from '../core/command.ts'
import {
  InterruptTimeoutError,
  InvalidAnswerError,
  StaleAnswerError,
  StaleVersionError,
  ThreadClosedError,
} from '../core/errors.ts'
import type { InterruptRow, StoredThread } from '../core/store.ts'
import { checkShape, type QuestionRow } from '../runtime/question.ts'
import { QuestionIndex } from './question-index.ts'
import { parse, questionOf, type StoredSource } from './thread-record.ts'

/**
 * The answers of a command by interrupt id, checked against what is stored: every refusal that needs no
 * flow code.
 */
export function resolveAnswers(
  thread: StoredThread,
  command: ResumeCommand,
  now: number,
): Map<string, unknown> {
  const { head } = thread
  const index = new QuestionIndex(thread)
  if (head.status === 'completed' || head.status === 'cancelled') {
    for (const name of Object.keys(command.answers ?? {})) index.expectNotAnswered(name)
    throw new ThreadClosedError(head.id, head.status)
  }
  const found = Object.entries(command.answers ?? {}).map(([name, value]) => ({
    row: index.find(name),
    value,
  }))
  if ('answer' in command) found.push({ row: index.only(), value: command.answer })
  if (command.ifVersion !== undefined && command.ifVersion !== head.version) {
    throw new StaleVersionError(head.id, command.ifVersion, head.version)
  }
  for (const { row, value } of found) checkAnswer(row, value, { command, now })
  return new Map(found.map(({ row, value }) => [row.id, value]))
}

function checkAnswer(
  row: InterruptRow,
  value: unknown,
  { command, now }: { readonly command: ResumeCommand; readonly now: number },
): void {
  if (row.expiresAt !== undefined && Date.parse(row.expiresAt) <= now) {
    throw new InterruptTimeoutError(row.id, row.expiresAt)
  }
  const question = questionOf(row)
  checkDigest(question, command.digests?.[row.id])
  const refused = checkShape(question, value)
  if (refused === undefined) return
  throw new InvalidAnswerError(
    refused.code,
    `Question "${row.id}" (${question.message})`,
    refused.problems,
    'Nothing changed: the question is still open.',
  )
}

function checkDigest(question: QuestionRow, reviewed: string | undefined): void {
  const { id, message, payload, digest, changedFrom } = question
  const asks = { now: { message, payload, digest } }
  if (reviewed !== undefined && reviewed !== digest) {
    throw new StaleAnswerError(id, { reviewed, ...asks }, `it asks ${JSON.stringify(message)} now`)
  }
  if (changedFrom === undefined || reviewed !== undefined) return
  throw new StaleAnswerError(
    id,
    { was: changedFrom, ...asks },
    `it asked ${JSON.stringify(changedFrom.message)}, it asks ${JSON.stringify(message)}; answer it with its digest`,
  )
}

/** Who answered a question, as stored. */
export function sourceOf(row: InterruptRow): StoredSource | undefined {
  return row.answer === undefined
    ? undefined
    : parse<StoredSource>(row.answer.source, `source of ${row.id}`)
}
