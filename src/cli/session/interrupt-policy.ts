// What happens to the questions of a run, in this order: an answer known beforehand, --yes,
// --use-defaults, then a prompt, a suspension or a failure.
//
// Invariants:
//   1. What no person saw is recorded as unseen, and never answers a question marked danger.
//   2. A value the question does not accept answers nothing; the question stays open.

import type { InterruptContext, InterruptDecision, InterruptHandler } from '../../core/command.ts'
import { HexagonError, InvalidAnswerError } from '../../core/errors.ts'
import type { AnswerSource, AnswerVia, Interrupt } from '../../core/interrupt.ts'
import { placeOf, wantedOf } from '../render/interrupt-name.ts'
import { readAnswer } from '../value/answer.ts'
import { fromValue, type AnswerScript } from '../value/answers.ts'
import type { DataInput } from '../value/given.ts'

/** What was said about questions before they came. */
export interface PolicyOptions {
  readonly script?: AnswerScript | undefined
  readonly yes: boolean
  readonly useDefaults: boolean
  readonly rest: 'prompt' | 'suspend' | 'fail'
  /** Asks a person; used when `rest` is `prompt`. */
  readonly ask: InterruptHandler
  /** Who answers, looked up when the first answer is given. */
  source(): AnswerSource
  readonly input: DataInput
}

/** Answers questions by rule and remembers what went wrong. */
export class InterruptPolicy {
  readonly #options: PolicyOptions
  /** Why the run has to be reported as an error although the thread only waits. */
  fault: HexagonError | undefined

  constructor(options: PolicyOptions) {
    this.#options = options
  }

  /** The handler for the runner. */
  readonly handle: InterruptHandler = async (open, context) => {
    const answers =
      (await this.#scripted(open, context)) ?? this.#approved(open) ?? this.#defaults(open)
    return answers ?? this.#rest(open, context)
  }

  async #scripted(
    open: readonly Interrupt[],
    context: InterruptContext,
  ): Promise<InterruptDecision> {
    const answers: Record<string, unknown> = {}
    for (const question of open) {
      const taken = question.danger === true ? undefined : this.#options.script?.take(question)
      if (taken === undefined) continue
      try {
        answers[question.id] = await this.#accepted(question, taken.value, context)
      } catch (error) {
        if (!(error instanceof HexagonError)) throw error
        this.fault ??= error
      }
    }
    return this.#unseen(answers, '--answers')
  }

  async #accepted(
    question: Interrupt,
    value: unknown,
    context: InterruptContext,
  ): Promise<unknown> {
    const answer = await readAnswer(question, [fromValue(value)], { input: this.#options.input })
    const problems = await context.check(question.id, answer)
    if (problems.length === 0) return answer
    throw new InvalidAnswerError(
      'E1203',
      `${placeOf(question)} did not accept the answer`,
      problems,
    )
  }

  #approved(open: readonly Interrupt[]): InterruptDecision {
    if (!this.#options.yes) return undefined
    const approvals = open.filter(({ kind, danger }) => kind === 'approval' && danger !== true)
    return this.#unseen(Object.fromEntries(approvals.map(({ id }) => [id, true])), '--yes')
  }

  #defaults(open: readonly Interrupt[]): InterruptDecision {
    if (!this.#options.useDefaults) return undefined
    const known = open.filter((question) => 'default' in question && question.danger !== true)
    return this.#unseen(
      Object.fromEntries(known.map((question) => [question.id, question.default])),
      'default',
    )
  }

  #unseen(answers: Readonly<Record<string, unknown>>, via: AnswerVia): InterruptDecision {
    if (Object.keys(answers).length === 0) return undefined
    return { answers, source: { ...this.#options.source(), via, unseen: true } }
  }

  #rest(open: readonly Interrupt[], context: InterruptContext): ReturnType<InterruptHandler> {
    switch (this.#options.rest) {
      case 'prompt':
        return this.#options.ask(open, context)
      case 'suspend':
        return 'defer'
      case 'fail':
        this.fault ??= notAllowed(open)
        return 'defer'
    }
  }
}

function notAllowed([first]: readonly Interrupt[]): HexagonError {
  const asked =
    first === undefined ? 'A question was asked' : `${placeOf(first)} asked for ${wantedOf(first)}`
  return new HexagonError('E1404', `${asked} and --on-interrupt is fail`, {
    hint:
      first === undefined
        ? undefined
        : `It is saved and can be answered: hexagon resume ${first.id}`,
    details: first === undefined ? {} : { interruptId: first.id },
  })
}
