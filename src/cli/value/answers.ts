import { HexagonError } from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { readData, type DataInput, type Given } from './given.ts'
import { findQuestion, isNamed, type Questions } from './question.ts'

/** Values by interrupt id, `#n`, address or key, as `--answers` gives them. */
export type AnswerMap = ReadonlyMap<string, unknown>

/** Reads `--answers`: JSON, `@file` or `-`. @throws HexagonError E1204, E1205, E1208, E1211, E1216 */
export async function readAnswers(argument: string, input: DataInput): Promise<AnswerMap> {
  const [given] = await readData([argument], input)
  const value = given?.json?.value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HexagonError(
      'E1208',
      '--answers must be a JSON object: id, address or key to value',
      {
        hint: `--answers '{"node:review":true}', @file or -`,
      },
    )
  }
  return new Map(Object.entries(value))
}

/** A value that is already known, in the form the grammar reads. */
export function fromValue(value: unknown): Given {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { origin: 'input', text, json: { value } }
}

/** One answer and the question it is for. */
export interface MatchedAnswer {
  readonly question: Interrupt
  readonly value: unknown
}

/**
 * Finds the open question of every entry.
 * @throws UnknownInterruptError, AlreadyAnsweredError, AmbiguousAnswerError, HexagonError E1206
 */
export function matchAnswers(answers: AnswerMap, questions: Questions): MatchedAnswer[] {
  const matched = [...answers].map(([name, value]) => ({
    question: findQuestion(name, questions),
    value,
  }))
  const seen = new Set<string>()
  for (const { question } of matched) {
    if (seen.has(question.id)) throw answeredTwice(question)
    seen.add(question.id)
  }
  return matched
}

function answeredTwice({ id }: Interrupt): HexagonError {
  return new HexagonError('E1206', `--answers answers "${id}" twice, under two names`, {
    hint: 'Keep one of the two.',
    details: { interruptId: id },
  })
}

// An AnswerScript hands out the answers of `run --answers` to questions as they come.
//
// Invariants:
//   1. A value is handed out once; a list hands out its items in turn, one per question.
//   2. A question that got a value gets no other one.

/** Answers for questions that are not known yet. */
export class AnswerScript {
  readonly #left: Map<string, unknown[]>
  readonly #served = new Set<string>()

  constructor(answers: AnswerMap) {
    this.#left = new Map(
      [...answers].map(([name, value]) => [name, Array.isArray(value) ? [...value] : [value]]),
    )
  }

  /** The value for a question that has not been served, if there is one. */
  take(question: Interrupt): { readonly value: unknown } | undefined {
    if (this.#served.has(question.id)) return undefined
    for (const [name, values] of this.#left) {
      if (values.length === 0 || !isNamed(question, name)) continue
      this.#served.add(question.id)
      return { value: values.shift() }
    }
    return undefined
  }

  /** Names whose values were not all used. */
  unused(): string[] {
    return [...this.#left].flatMap(([name, values]) => (values.length > 0 ? [name] : []))
  }
}
