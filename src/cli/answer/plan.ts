// Which open question gets which value: everything about an answer that can be told, and refused,
// without the flow's code.

import type { ThreadView } from '../../core/command.ts'
import { AmbiguousAnswerError, HexagonError, UnknownInterruptError } from '../../core/errors.ts'
import type { AnswerVia, Interrupt } from '../../core/interrupt.ts'
import { answerFlag } from '../render/command-line.ts'
import { placeOf, wantedOf } from '../render/interrupt-name.ts'
import { readAnswer } from '../value/answer.ts'
import { fromValue, matchAnswers } from '../value/answers.ts'
import { readChoice } from '../value/choice.ts'
import type { DataInput, Given } from '../value/given.ts'
import { findQuestion, summary } from '../value/question.ts'
import type { GivenAnswer } from './given-answer.ts'

/** One value on its way to one question. */
export interface PlannedAnswer {
  readonly question: Interrupt
  readonly value: unknown
}

/** The answers of one `resume`, and how they were given. */
export interface AnswerPlan {
  readonly answers: readonly PlannedAnswer[]
  readonly via: AnswerVia
  readonly unseen: boolean
  readonly reason: string | undefined
}

/** What an answer is planned against. */
export interface PlanRequest {
  readonly view: ThreadView
  /** `--interrupt`, or the id that selected the thread. */
  readonly interrupt: string | undefined
  readonly given: GivenAnswer
  readonly input: DataInput
}

/**
 * Reads the given answer as its question wants it; undefined when none was given.
 * @throws HexagonError E1201 to E1219, UnknownInterruptError, AlreadyAnsweredError, AmbiguousAnswerError
 */
export async function planAnswers(request: PlanRequest): Promise<AnswerPlan | undefined> {
  const { given, view, interrupt } = request
  if (given.kind === 'none') {
    // A named question that is answered already is told now, not asked again.
    if (interrupt !== undefined) questionOf(view, interrupt)
    return undefined
  }
  if (given.kind === 'map') return planMap(given.answers, request)
  const question = questionOf(view, interrupt)
  const value = await readFor(question, given, request.input)
  const reason = 'reason' in given ? given.reason : undefined
  return { answers: [{ question, value }], via: 'flag', unseen: false, reason }
}

async function planMap(
  answers: Extract<GivenAnswer, { kind: 'map' }>['answers'],
  { view, interrupt, input }: PlanRequest,
): Promise<AnswerPlan> {
  if (interrupt !== undefined && !interrupt.startsWith('i_')) {
    throw new HexagonError('E1006', '--interrupt and --answers exclude each other', {
      hint: '--answers names its questions itself.',
    })
  }
  const planned: PlannedAnswer[] = []
  for (const { question, value } of matchAnswers(answers, questionsOf(view))) {
    if (question.danger === true) throw dangerous(question)
    planned.push({ question, value: await readAnswer(question, [fromValue(value)], { input }) })
  }
  return { answers: planned, via: '--answers', unseen: true, reason: undefined }
}

function questionsOf({ interrupts, answered }: ThreadView): Parameters<typeof matchAnswers>[1] {
  return { open: interrupts, answered }
}

/** The named question, or the only one that takes an answer. */
function questionOf(view: ThreadView, name: string | undefined): Interrupt {
  if (name !== undefined) return findQuestion(name, questionsOf(view))
  const asked = view.interrupts.filter(({ kind }) => kind !== 'breakpoint')
  const [first, ...others] = asked
  if (first !== undefined && others.length === 0) return first
  if (first !== undefined) throw needsInterrupt(asked)
  const last = view.answered.findLast(
    ({ status }) => status === 'answered' || status === 'consumed',
  )
  // Most likely the same answer sent twice.
  if (last !== undefined) return findQuestion(last.id, questionsOf(view))
  throw new UnknownInterruptError('', [])
}

function needsInterrupt(asked: readonly Interrupt[]): AmbiguousAnswerError {
  return new AmbiguousAnswerError(asked.map(summary))
}

async function readFor(
  question: Interrupt,
  given: Exclude<GivenAnswer, { kind: 'none' } | { kind: 'map' }>,
  input: DataInput,
): Promise<unknown> {
  switch (given.kind) {
    case 'decision': {
      expectKind(question, ['approval'], given.approved ? '--approve' : '--reject')
      const { approved, reason } = given
      return reason === undefined ? approved : { approved, reason }
    }
    case 'choose':
      expectKind(question, ['choice', 'doubt'], '--choose')
      return readChoice(question, given.given)
    case 'text':
      expectKind(question, ['input', 'custom'], '--text')
      return readText(question, given.given, input)
    case 'data':
      return readAnswer(question, given.given, { input, reason: given.reason })
  }
}

function readText(question: Interrupt, given: Given, input: DataInput): Promise<unknown> {
  return readAnswer(question, [given], { input })
}

const WRONG_KIND: Readonly<Record<string, string>> = { '--choose': 'E1202', '--text': 'E1208' }

function expectKind(question: Interrupt, kinds: readonly string[], flag: string): void {
  if (kinds.includes(question.kind)) return
  const usable = answerFlag(question)
  throw new HexagonError(
    WRONG_KIND[flag] ?? 'E1201',
    `${placeOf(question)} asks for ${wantedOf(question)}: ${flag} does not go with it`,
    {
      hint: usable === '' ? `Go on with: hexagon resume ${question.threadId}` : `Use ${usable}`,
      details: { interruptId: question.id, kind: question.kind },
    },
  )
}

function dangerous(question: Interrupt): HexagonError {
  return new HexagonError(
    'E1219',
    `${placeOf(question)} is marked danger: --answers does not answer it`,
    {
      hint: `Answer it by itself: hexagon resume ${question.id} --digest ${question.digest} ${answerFlag(question)}`,
      details: { interruptId: question.id },
    },
  )
}
