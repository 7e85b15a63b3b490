import { HexagonError } from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { placeOf } from '../render/interrupt-name.ts'
import { readChoice } from './choice.ts'
import { readFields } from './fields.ts'
import type { DataInput, Given } from './given.ts'
import { isPair } from './pair.ts'
import { quote } from './quote.ts'

/** What else was said beside the value. */
export interface AnswerWords {
  /** `--reason`; goes only with approvals. */
  readonly reason?: string | undefined
  /** Where `key=@file` is read from. */
  readonly input: DataInput
}

/**
 * The value for one question, read as its kind wants it. Nothing is guessed across kinds.
 * @throws HexagonError E1201 to E1213, E1218
 */
export async function readAnswer(
  question: Interrupt,
  given: readonly Given[],
  words: AnswerWords,
): Promise<unknown> {
  if (question.kind === 'approval') return readApproval(single(question, given), words.reason)
  if (words.reason !== undefined) throw reasonMisplaced()
  switch (question.kind) {
    case 'choice':
      return readChoice(question, single(question, given))
    case 'doubt':
      return readDoubt(question, given, words.input)
    case 'input':
      return readInput(single(question, given))
    case 'breakpoint':
      throw breakpointTakesNothing(question)
    case 'form':
    case 'custom':
      return readFields(question.schema, given, words.input)
  }
}

const YES = new Set(['true', 'yes', 'y', 'approve', 'approved'])
const NO = new Set(['false', 'no', 'n', 'reject', 'rejected'])
const DECISION = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' }, edited: {} },
  required: ['approved'],
}

async function readApproval(given: Given, reason: string | undefined): Promise<unknown> {
  const json = given.json?.value
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
    const decision = await readFields(DECISION, [given], undefined)
    return reason === undefined ? decision : { ...json, reason }
  }
  const word = (typeof json === 'string' ? json : given.text).toLowerCase()
  if (!YES.has(word) && !NO.has(word)) throw notAnApproval(given)
  return reason === undefined ? YES.has(word) : { approved: YES.has(word), reason }
}

/** One of the words, or an object that also says what came of it. */
function readDoubt(question: Interrupt, given: readonly Given[], input: DataInput): unknown {
  const [first, ...more] = given
  const isObject = typeof first?.json?.value === 'object'
  const isWord = first !== undefined && more.length === 0 && !isObject && !isPair(first.text)
  return isWord ? readChoice(question, first) : readFields(undefined, given, input)
}

/** The text as typed; JSON only takes the quotes off a JSON string. */
function readInput({ text, json, origin }: Given): string {
  return origin !== 'raw' && typeof json?.value === 'string' ? json.value : text
}

function single(question: Interrupt, given: readonly Given[]): Given {
  const [first, ...more] = given
  if (first !== undefined && more.length === 0) return first
  throw new HexagonError('E1206', `${placeOf(question)} takes one value, got ${given.length}`, {
    hint: 'Give one value. Pairs (key=value) go only with forms.',
    details: { interruptId: question.id },
  })
}

function notAnApproval(given: Given): HexagonError {
  return new HexagonError('E1201', `${quote(given.text)} is not an approval`, {
    hint: 'Use --approve or --reject (or true/false).',
  })
}

function reasonMisplaced(): HexagonError {
  return new HexagonError('E1218', '--reason goes only with approvals', {
    hint: 'Leave --reason out, or put the text into the answer.',
  })
}

function breakpointTakesNothing(question: Interrupt): HexagonError {
  return new HexagonError('E1206', `${placeOf(question)} is a breakpoint: it takes no value`, {
    hint: `Go on with: hexagon resume ${question.threadId}`,
    details: { interruptId: question.id },
  })
}
