import type { Address } from '../core/address.ts'
import { canonical } from '../core/canonical.ts'
import type { Hash } from '../core/clock.ts'
import { messageOf, type Problem } from '../core/errors.ts'
import type { Choice, Interrupt, InterruptKind } from '../core/interrupt.ts'
import { check, type Checked, type Schema } from '../core/schema.ts'
import { verdictIn } from './doubt-answer.ts'

/** Says what is wrong with an answer: `false` or a text refuses, anything else accepts. Throwing refuses too. */
export type AnswerValidator = (value: never) => unknown

/** What `interrupt()` and its helpers ask, as the running code has it. */
export interface Question {
  readonly kind: InterruptKind
  readonly message: string
  readonly payload: unknown
  readonly choices?: readonly Choice[] | undefined
  readonly schema?: Schema | undefined
  readonly jsonSchema?: unknown
  readonly validate?: AnswerValidator | undefined
  readonly default?: unknown
  readonly hasDefault: boolean
  readonly multiline?: boolean | undefined
  readonly secret?: boolean | undefined
  readonly danger?: boolean | undefined
  readonly detail?: boolean | undefined
  readonly metadata?: unknown
  readonly key?: string | undefined
  readonly timeout?: string | number | Date | undefined
  readonly onChange: 'reopen' | 'accept'
}

/** A stored question: what everybody sees, and where its answer goes. */
export interface QuestionRow extends Omit<Interrupt, 'threadId'> {
  /** Full id of the task that waits. */
  readonly task: string
  /** Place inside the task. */
  readonly path: string
  /** What takes the answer: a waiting call, a component's next entry, or nobody (a breakpoint). */
  readonly asked: 'call' | 'component' | 'breakpoint'
}

/** What binds an answer to what was shown: kind, message, payload, choices and schema. */
export function digestOf(
  question: Pick<Question, 'kind' | 'message' | 'payload' | 'choices' | 'jsonSchema'>,
  hash: Hash,
): string {
  const { kind, message, payload, choices, jsonSchema } = question
  return hash(canonical([kind, message, payload, choices ?? null, jsonSchema ?? null])).slice(0, 32)
}

/** Where to put a new question, and what it is called. */
export interface Placement {
  readonly id: string
  readonly ordinal: number
  readonly task: string
  readonly path: string
  readonly address: Address
  readonly key: string
  readonly digest: string
  readonly now: number
  readonly asked?: QuestionRow['asked']
}

/** A question as a row; `changed` is the row it replaces under the same id. */
export function rowOf(question: Question, at: Placement, changed?: QuestionRow): QuestionRow {
  const { id, task, path, address, key, ordinal, digest, asked = 'call' } = at
  const { kind, message, payload } = question
  return {
    id,
    task,
    path,
    asked,
    address,
    key,
    ordinal,
    kind,
    message,
    payload,
    digest,
    openedAt: new Date(at.now).toISOString(),
    ...optionsOf(question, at.now),
    ...(changed === undefined ? {} : { changedFrom: shownOf(changed) }),
  }
}

type RowOptions = Omit<Partial<QuestionRow>, 'changedFrom'>

/** The parts of a row that only some questions have. */
function optionsOf(question: Question, now: number): RowOptions {
  const deadline = deadlineOf(question.timeout, now)
  const options = {
    choices: question.choices,
    schema: question.jsonSchema,
    default: question.hasDefault ? question.default : undefined,
    multiline: onlyTrue(question.multiline),
    secret: onlyTrue(question.secret),
    danger: onlyTrue(question.danger),
    detail: onlyTrue(question.detail),
    metadata: question.metadata,
    expiresAt: deadline === undefined ? undefined : new Date(deadline).toISOString(),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function onlyTrue(flag: boolean | undefined): true | undefined {
  return flag === true ? true : undefined
}

function shownOf({ message, payload, digest }: QuestionRow): QuestionRow['changedFrom'] & object {
  return { message, payload, digest }
}

/** A row as everybody sees it. */
export function interruptOf(row: QuestionRow, threadId: string): Interrupt {
  const { task: _task, path: _path, asked: _asked, ...seen } = row
  return { ...seen, threadId }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of `'2h'`, `'1.5 s'`, or a number of milliseconds; undefined when it is neither. */
export function durationOf(duration: string | number): number | undefined {
  if (typeof duration === 'number')
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*$/u.exec(duration)
  const unit = UNITS[match?.[2] ?? '']
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit
}

function deadlineOf(timeout: string | number | Date | undefined, now: number): number | undefined {
  if (timeout === undefined) return undefined
  if (timeout instanceof Date) return timeout.getTime()
  const duration = durationOf(timeout)
  return duration === undefined ? undefined : now + duration
}

/** What the stored part of a question alone can check, before any flow code runs. */
export type AskedShape = Pick<Question, 'kind' | 'choices' | 'detail'>

/** Code and problems of a refused answer. */
export interface Refusal {
  readonly code: string
  readonly problems: readonly Problem[]
}

/** Checks type and choices. */
export function checkShape(asked: AskedShape, value: unknown): Refusal | undefined {
  switch (asked.kind) {
    case 'approval':
      return checkApproval(asked, value)
    case 'choice':
      return checkChoice(asked.choices ?? [], value)
    case 'input':
      return typeof value === 'string'
        ? undefined
        : refuse('E1208', `a text is wanted, got ${show(value)}`)
    case 'doubt':
      return checkDoubt(value)
    case 'form':
    case 'breakpoint':
    case 'custom':
      return undefined
  }
}

function checkChoice(choices: readonly Choice[], value: unknown): Refusal | undefined {
  const wanted = canonical(value)
  if (choices.some((choice) => canonical(choice.value) === wanted)) return undefined
  const offered = choices.slice(0, 12).map((choice) => show(choice.value))
  return refuse('E1202', `${show(value)} is not one of ${offered.join(', ')}`)
}

function checkDoubt(value: unknown): Refusal | undefined {
  if (verdictIn(value) !== undefined) return undefined
  return refuse('E1202', `${show(value)} is not happened, run, fail or { happened, result }`)
}

function checkApproval(asked: AskedShape, value: unknown): Refusal | undefined {
  if (typeof value === 'boolean') return undefined
  const fields = approvalFields(value)
  if (fields === undefined) {
    return refuse('E1201', `${show(value)} is not an approval: true, false or { approved, reason }`)
  }
  if (fields.reason !== undefined && typeof fields.reason !== 'string') {
    return refuse('E1201', 'reason is not a text')
  }
  if ('edited' in fields && asked.detail !== true) {
    return refuse('E1201', 'this approval takes no edits: what was shown is what runs')
  }
  const stray = Object.keys(fields).find((key) => !APPROVAL_FIELDS.has(key))
  return stray === undefined
    ? undefined
    : refuse('E1207', `"${stray}" is not a field of an approval`)
}

const APPROVAL_FIELDS: ReadonlySet<string> = new Set(['approved', 'reason', 'edited'])

function approvalFields(value: unknown): { readonly reason?: unknown } | undefined {
  if (typeof value !== 'object' || value === null || !('approved' in value)) return undefined
  return typeof value.approved === 'boolean' ? (value as { readonly reason?: unknown }) : undefined
}

/** Checks everything: type, choices, schema, the flow's validator. The value is what `interrupt()` returns. */
export async function accept(
  question: Question,
  value: unknown,
): Promise<Checked<unknown> & { readonly code?: string }> {
  const refused = checkShape(question, value)
  if (refused !== undefined) return { ok: false, ...refused }
  const typed =
    question.schema === undefined
      ? { ok: true as const, value }
      : await checkSchema(question.schema, value)
  if (!typed.ok) return { ...typed, code: 'E1208' }
  const complaint = await complaintOf(question.validate, typed.value)
  if (complaint !== undefined) return { ok: false, ...complaint }
  return { ok: true, value: returned(question, typed.value) }
}

async function checkSchema(schema: Schema, value: unknown): Promise<Checked<unknown>> {
  try {
    return await check(schema, value)
  } catch (error) {
    return {
      ok: false,
      problems: [{ path: '', message: `the schema failed: ${messageOf(error)}` }],
    }
  }
}

async function complaintOf(
  validate: AnswerValidator | undefined,
  value: unknown,
): Promise<Refusal | undefined> {
  if (validate === undefined) return undefined
  try {
    const verdict = await (validate as (value: unknown) => unknown)(value)
    if (verdict === false) return refuse('E1203', 'the validator refused it')
    if (typeof verdict === 'string') return refuse('E1203', verdict)
    if (verdict instanceof Error) return refuse('E1203', verdict.message)
    return undefined
  } catch (error) {
    return refuse('E1410', messageOf(error))
  }
}

function returned(question: Question, value: unknown): unknown {
  if (question.kind !== 'approval') return value
  if (question.detail === true) return typeof value === 'boolean' ? { approved: value } : value
  return typeof value === 'object' && value !== null && 'approved' in value
    ? value.approved === true
    : value === true
}

function refuse(code: string, message: string): Refusal {
  return { code, problems: [{ path: '', message }] }
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  const text = canonical(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The line that stands for a payload: the text itself, or what it calls its message. */
export function messageFor(payload: unknown): string {
  if (typeof payload === 'string') return payload
  if (typeof payload === 'object' && payload !== null) {
    for (const key of ['message', 'question', 'title', 'prompt']) {
      const text: unknown = Reflect.get(payload, key)
      if (typeof text === 'string') return text
    }
  }
  return 'Waiting for an answer'
}
