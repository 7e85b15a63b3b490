// What is read back may have been written by hand, checksum and all: before a change is carried out, its
// form is checked.

import type { Change } from './change.ts'

type Members = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const STATUSES: ReadonlySet<unknown> = new Set([
  'ready',
  'running',
  'suspended',
  'completed',
  'failed',
  'cancelled',
])

const isStatus: Check = (value) => STATUSES.has(value)
const isWake: Check = isWakeRule
const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => Number.isSafeInteger(value)
const isTexts: Check = isTextList
const isPuts = listOf(
  (value) => Array.isArray(value) && value.length === 2 && isText(value[0]) && isText(value[1]),
)
const isAnswers = listOf(
  (value) => isRecord(value) && isText(value['id']) && isAnswer(value['answer']),
)
const isQuestions = listOf(isQuestion)

/** The members each kind of change must have. */
const NEEDED: Readonly<Record<Change['kind'], readonly (readonly [string, Check])[]>> = {
  create: [
    ['id', isText],
    ['flow', isText],
    ['meta', isText],
    ['status', isStatus],
    ['wake', isWake],
    ['records', isPuts],
  ],
  claim: [['fence', isNumber]],
  commit: [
    ['version', isNumber],
    ['status', isStatus],
    ['label', isText],
  ],
  answer: [['answers', isAnswers]],
  release: [['status', isStatus]],
}

/** The members each kind of change may have. */
const ALLOWED: Readonly<Record<Change['kind'], readonly (readonly [string, Check])[]>> = {
  create: [
    ['events', isTexts],
    ['claim', isRecord],
  ],
  claim: [],
  commit: [
    ['meta', isText],
    ['wake', isWake],
    ['puts', isPuts],
    ['deletes', isTexts],
    ['cancel', isTexts],
    ['expire', isTexts],
    ['open', isQuestions],
    ['answer', isAnswers],
    ['consume', isTexts],
    ['events', isTexts],
    ['runAfter', isText],
  ],
  answer: [['through', isNumber]],
  release: [['runAfter', isText]],
}

/** True for what can be carried out as a change. */
export function isChange(value: unknown): value is Change {
  if (!isRecord(value) || !isText(value['at'])) return false
  const { kind } = value
  if (typeof kind !== 'string' || !Object.hasOwn(NEEDED, kind)) return false
  const form = kind as Change['kind']
  return (
    NEEDED[form].every(([key, check]) => check(value[key])) &&
    ALLOWED[form].every(([key, check]) => value[key] === undefined || check(value[key]))
  )
}

/** True for a question as it is asked. */
export function isQuestion(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { id, ordinal, kind, body, expiresAt } = value
  return (
    isText(id) &&
    isNumber(ordinal) &&
    isText(kind) &&
    isText(body) &&
    (expiresAt === undefined || isText(expiresAt))
  )
}

/** True for a list of texts. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

/** True for a status a thread can have. */
export function isStoredStatus(value: unknown): boolean {
  return isStatus(value)
}

/** True for a rule of when a thread wakes. */
export function isWakeRule(value: unknown): boolean {
  return value === 'any' || value === 'all'
}

/** True for an answer as it is stored. */
export function isAnswer(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['value', 'source', 'by', 'at', 'requestId'].every((member) => isText(value[member]))
  )
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}
