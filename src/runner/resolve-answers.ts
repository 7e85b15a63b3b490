import { formatAddress } from '../core/address.ts'
import type { ResumeCommand } from '../core/command.ts'
import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  InterruptTimeoutError,
  InvalidAnswerError,
  StaleAnswerError,
  StaleVersionError,
  ThreadClosedError,
  UnknownInterruptError,
} from '../core/errors.ts'
import type { InterruptRow, StoredThread } from '../core/store.ts'
import { checkShape, type QuestionRow } from '../runtime/question.ts'
import { parse, questionOf, type StoredSource } from './thread-record.ts'

interface Open {
  readonly row: InterruptRow
  readonly question: QuestionRow
}

/**
 * The answers of a command by interrupt id, checked against what is stored: every refusal that needs no
 * flow code. Breakpoints are passed by any command.
 */
export function resolveAnswers(
  thread: StoredThread,
  command: ResumeCommand,
  now: number,
): Map<string, unknown> {
  const open = openOf(thread)
  const asked = open.filter(({ question }) => question.kind !== 'breakpoint')
  const answers = new Map<string, unknown>()
  for (const [name, value] of Object.entries(command.answers ?? {})) {
    answers.set(idOf(name, thread, open), value)
  }
  if ('answer' in command) answers.set(onlyOne(thread, asked), command.answer)
  expectOpenThread(thread)
  if (command.ifVersion !== undefined && command.ifVersion !== thread.head.version) {
    throw new StaleVersionError(thread.head.id, command.ifVersion, thread.head.version)
  }
  for (const { row, question } of open)
    if (answers.has(row.id)) checkOne({ row, question }, answers.get(row.id), command, now)
  return answers
}

/** Open breakpoints: a resume goes past them. */
export function breakpointsOf(thread: StoredThread): string[] {
  return openOf(thread)
    .filter(({ question }) => question.kind === 'breakpoint')
    .map(({ row }) => row.id)
}

function expectOpenThread({ head }: StoredThread): void {
  if (head.status === 'completed' || head.status === 'cancelled')
    throw new ThreadClosedError(head.id, head.status)
}

function openOf(thread: StoredThread): Open[] {
  return thread.interrupts
    .filter(({ status }) => status === 'open')
    .map((row) => ({ row, question: questionOf(row) }))
}

function onlyOne(thread: StoredThread, asked: readonly Open[]): string {
  const [only, ...others] = asked
  if (only === undefined) {
    const last = thread.interrupts
      .filter(({ status }) => status === 'consumed' || status === 'answered')
      .at(-1)
    if (last !== undefined) throw answeredError(last, [])
    throw new UnknownInterruptError('', [])
  }
  if (others.length > 0) throw new AmbiguousAnswerError(asked.map(({ question }) => question))
  return only.row.id
}

/** An id, a key, `#n`, or an address as text, that names exactly one question. */
function idOf(name: string, thread: StoredThread, open: readonly Open[]): string {
  const questions = open.map(({ question }) => question)
  const row = thread.interrupts.find(({ id, ordinal }) => id === name || `#${ordinal}` === name)
  if (row !== undefined) return expectOpen(row, questions)
  const named = open.filter(
    ({ question }) => question.key === name || namesOf(question).includes(name),
  )
  if (named.length > 1) throw new AmbiguousAnswerError(named.map(({ question }) => question))
  const [found] = named
  if (found === undefined) throw new UnknownInterruptError(name, questions)
  return found.row.id
}

function namesOf({ address, path }: QuestionRow): string[] {
  const leaf = /\["interrupt","((?:[^"\\]|\\.)*)"\](?:~\d+)?$/u.exec(path)?.[1]
  const texts = [formatAddress(address), formatAddress(address, '/')]
  return leaf === undefined
    ? texts
    : [
        ...texts,
        ...texts.flatMap((text) => [`${text}/interrupt:${leaf}`, `${text};interrupt:${leaf}`]),
      ]
}

function expectOpen(row: InterruptRow, open: readonly QuestionRow[]): string {
  if (row.status === 'open') return row.id
  if (row.status === 'expired') throw new InterruptTimeoutError(row.id, row.expiresAt ?? '')
  if (row.status === 'cancelled') throw new UnknownInterruptError(row.id, open)
  throw answeredError(row, open)
}

function answeredError(row: InterruptRow, open: readonly QuestionRow[]): AlreadyAnsweredError {
  return new AlreadyAnsweredError(row.id, { by: row.answer?.by, at: row.answer?.at }, open)
}

function checkOne(
  { row, question }: Open,
  value: unknown,
  command: ResumeCommand,
  now: number,
): void {
  if (row.expiresAt !== undefined && Date.parse(row.expiresAt) <= now)
    throw new InterruptTimeoutError(row.id, row.expiresAt)
  const digest = command.digests?.[row.id]
  if (digest !== undefined && digest !== question.digest) {
    throw new StaleAnswerError(
      row.id,
      {
        reviewed: digest,
        now: { message: question.message, payload: question.payload, digest: question.digest },
      },
      `it now asks ${JSON.stringify(question.message)}`,
    )
  }
  if (question.changedFrom !== undefined && digest === undefined) {
    throw new StaleAnswerError(
      row.id,
      {
        was: question.changedFrom,
        now: { message: question.message, payload: question.payload, digest: question.digest },
      },
      `it asked ${JSON.stringify(question.changedFrom.message)}, it asks ${JSON.stringify(question.message)}; answer it with its digest`,
    )
  }
  const refused = checkShape(question, value)
  if (refused !== undefined) {
    throw new InvalidAnswerError(
      refused.code,
      `Question "${row.id}" (${question.message})`,
      refused.problems,
      'Nothing changed: the question is still open.',
    )
  }
}

/** Who answered a question, as stored. */
export function sourceOf(row: InterruptRow): StoredSource | undefined {
  return row.answer === undefined
    ? undefined
    : parse<StoredSource>(row.answer.source, `source of ${row.id}`)
}
