import type { InterruptHandler } from '../core/command.ts'
import { HexagonError } from '../core/errors.ts'
import type { Interrupt } from '../core/interrupt.ts'

/** Answers by key, by message, or by what the question is. */
export type Answers = Readonly<Record<string, unknown>> | ((question: Interrupt) => unknown)

/**
 * A handler that answers every question in place, so that a flow is tested without a person: by the
 * question's key or message, or by a function. Use it as `onInterrupt`.
 *
 * @throws HexagonError when no answer is given for a question: a test that forgot one must not pass
 */
export function answering(answers: Answers): InterruptHandler {
  return (open) =>
    Object.fromEntries(open.map((question) => [question.id, pick(answers, question)]))
}

function pick(answers: Answers, question: Interrupt): unknown {
  if (typeof answers === 'function') return answers(question)
  for (const name of [question.key, question.message]) {
    if (Object.hasOwn(answers, name)) return answers[name]
  }
  throw new HexagonError('E2150', `No answer for "${question.message}" (${question.key})`, {
    hint: `answering({ ${JSON.stringify(question.key)}: … })`,
  })
}
