import type { ThreadView } from '../../core/command.ts'
import { HexagonError, ThreadClosedError } from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { answerCommand, answerFlag, continueCommand } from '../render/command-line.ts'
import { placeOf, wantedOf } from '../render/interrupt-name.ts'
import { findQuestion } from '../value/question.ts'

const LISTED = 12

/**
 * Refuses a thread that is over. A question that is known as answered is told as that, which says more.
 * @throws ThreadClosedError, AlreadyAnsweredError
 */
export function assertOpen(view: ThreadView, interrupt: string | undefined): void {
  if (view.status !== 'completed' && view.status !== 'cancelled') return
  const { answered } = view
  const isKnown = answered.some(
    ({ id, ordinal }) => id === interrupt || `#${ordinal}` === interrupt,
  )
  if (interrupt !== undefined && isKnown) findQuestion(interrupt, { open: [], answered })
  throw closed(view)
}

function closed({ threadId, status }: ThreadView): HexagonError {
  const error = new ThreadClosedError(threadId, status)
  return new HexagonError(error.code, error.message, {
    hint: `hexagon show ${threadId}`,
    details: error.details,
  })
}

/** What decides whether a thread goes on without an answer. */
export interface Circumstances {
  /** True when a person can be asked. */
  readonly interactive: boolean
  readonly retry: boolean
  /** Whoever runs it is taken for gone. */
  readonly stealLock: boolean
  /** Approvals have their answer. */
  readonly yes: boolean
  /** Questions with a default have theirs. */
  readonly useDefaults: boolean
}

/** Why a thread does not go on without an answer; undefined when it does. */
export function refusalToGoOn(view: ThreadView, given: Circumstances): HexagonError | undefined {
  const asked = view.interrupts.filter(
    (question) => question.kind !== 'breakpoint' && !isDue(question),
  )
  const [first] = asked
  if (given.interactive && first !== undefined) return undefined
  if (asked.some((question) => isForeseen(question, given))) return undefined
  if (view.status === 'failed') return given.retry ? undefined : failedBefore(view)
  const isFreed = given.stealLock && view.status === 'running'
  if (first === undefined || isFreed || hasWork(view)) return undefined
  return nothingToAnswerWith(view, asked, first)
}

function isForeseen(question: Interrupt, { yes, useDefaults }: Circumstances): boolean {
  if (question.danger === true) return false
  return (yes && question.kind === 'approval') || (useDefaults && 'default' in question)
}

/** Nobody can answer it any more: going on settles it. */
function isDue({ expiresAt }: Interrupt): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
}

/** Something other than a person's answer is due. */
function hasWork({ status, meta, tasks, interrupts, answered }: ThreadView): boolean {
  return (
    status === 'crashed' ||
    meta.stopped !== undefined ||
    tasks.some((task) => task.status === 'ready') ||
    interrupts.some((question) => question.kind === 'breakpoint' || isDue(question)) ||
    answered.some((answer) => answer.status === 'answered')
  )
}

function failedBefore({ threadId, error }: ThreadView): HexagonError {
  const why = error === undefined ? '' : `: ${error.message}`
  return new HexagonError('E1403', `Thread "${threadId}" failed${why}`, {
    hint: `Run again what failed: ${continueCommand(threadId)} --retry`,
    details: { threadId },
  })
}

function nothingToAnswerWith(
  { threadId }: ThreadView,
  asked: readonly Interrupt[],
  first: Interrupt,
): HexagonError {
  if (asked.length > 1) {
    return new HexagonError(
      'E1403',
      `${threadId} waits for ${asked.length} answers and there is no terminal`,
      {
        hint: asked.slice(0, LISTED).map(answerCommand).join('\n'),
        details: { threadId, interrupts: asked.map(({ id }) => id) },
      },
    )
  }
  const options = first.choices?.slice(0, LISTED).map(({ name }) => name) ?? []
  const choose = options.length === 0 ? '' : `: ${options.join(', ')}`
  const way = first.kind === 'approval' ? '--approve or --reject' : answerFlag(first)
  return new HexagonError(
    'E1403',
    `${threadId} waits for ${wantedOf(first)} at ${placeOf(first)} and there is no terminal`,
    {
      hint: `Use ${way}${choose}\n${answerCommand(first)}`,
      details: { threadId, interrupts: [first.id] },
    },
  )
}
