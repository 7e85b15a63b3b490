// What is read back may have been written by hand: its form is checked before anybody relies on it.

import type { ThreadMeta } from '../core/command.ts'
import type { QuestionRow } from '../runtime/question.ts'

type Members = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'

const META: readonly (readonly [string, Check])[] = [
  ['flowFile', isText],
  ['flowExport', isText],
  ['files', isText],
  ['cwd', isText],
  ['by', isText],
  ['steps', isNumber],
  ['doubts', isNumber],
  ['breakBefore', listOf(isText)],
  ['breakAfter', listOf(isText)],
  ['parent', (value) => isRecord(value) && isText(value['threadId']) && isNumber(value['version'])],
  ['error', (value) => isRecord(value) && isText(value['name']) && isText(value['message'])],
  ['stopped', (value) => isRecord(value) && isText(value['by']) && isText(value['at'])],
  ['inDoubt', (value) => isRecord(value) && isNumber(value['afterVersion'])],
]

const QUESTION_TEXTS = ['id', 'key', 'kind', 'message', 'digest', 'task', 'path']

/** True for what a thread says of itself. */
export function isMeta(value: unknown): value is ThreadMeta {
  if (!isRecord(value)) return false
  return META.every(([key, check]) => value[key] === undefined || check(value[key]))
}

/** True for a question as it is stored: no part of it is of another kind. */
export function isQuestionRow(value: unknown): value is QuestionRow {
  if (!isRecord(value)) return false
  const { address, choices } = value
  return (
    QUESTION_TEXTS.every((key) => value[key] === undefined || isText(value[key])) &&
    (address === undefined || (Array.isArray(address) && address.every(isSegment))) &&
    (choices === undefined || (Array.isArray(choices) && choices.every(isRecord)))
  )
}

function isSegment(part: unknown): boolean {
  return isRecord(part) && isText(part['type']) && isText(part['id'])
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}
