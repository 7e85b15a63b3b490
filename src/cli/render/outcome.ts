import type { Interrupt } from '../../core/interrupt.ts'
import type { Left } from '../terminal/asked.ts'
import { oneLine } from '../terminal/safe.ts'
import { truncate } from '../terminal/width.ts'
import { answerCommand, continueCommand } from './command-line.ts'
import { placeOf, wantedOf } from './interrupt-name.ts'
import { formatDuration } from './time.ts'
import type { View } from './view.ts'

/** A thread that stopped to wait. */
export interface Waiting {
  readonly threadId: string
  readonly interrupts: readonly Interrupt[]
  /** False where next-step hints are not wanted. */
  readonly hints: boolean
}

const LISTED = 10
/** A longer question is cut: who has to see more of it has a command for that. */
const MESSAGE_LINES = 4

/** What is said when the person left a prompt: what is saved, and how to go on. */
export function renderLeft(
  left: Left,
  waiting: Waiting & { readonly promptTimeoutMs?: number | undefined },
  view: View,
): string[] {
  const { threadId, interrupts, hints } = waiting
  switch (left.kind) {
    case 'interrupted': {
      const still = interrupts.length > 1 ? 'The questions are' : 'The question is'
      return [`Interrupted. ${still} still open${hints ? `: ${continueCommand(threadId)}` : '.'}`]
    }
    case 'stopped':
      return [`Stopped. Everything is saved${hints ? `: ${continueCommand(threadId)}` : '.'}`]
    case 'deferred': {
      const lost = left.typed === true ? ' The typed text was not kept.' : ''
      const why = left.via === 'timeout' ? noAnswerFor(waiting.promptTimeoutMs) : ''
      return [
        ...head(`${why}Saved. ${waitingFor(interrupts)}${lost}`, view),
        ...commands(waiting, view),
      ]
    }
    default:
      return left satisfies never
  }
}

/** What is said when a run stopped at questions and nobody was there to ask. */
export function renderSuspended(waiting: Waiting, view: View): string[] {
  const { interrupts, hints, threadId } = waiting
  const [first, ...others] = interrupts
  if (first === undefined) {
    return [
      ...head('Suspended.', view),
      ...(hints ? [command(continueCommand(threadId), view)] : []),
    ]
  }
  if (others.length > 0) return manySuspended(waiting, view)
  const message = oneLine(first.message)
  const whole = `Suspended at ${placeOf(first)}: ${first.kind} "${message}"`
  const text = truncate(whole, view.columns * MESSAGE_LINES)
  const rest = text === whole ? [] : [`  Read all of it: hexagon show ${threadId}`]
  const answer = hints ? [command(answerCommand(first), view)] : []
  return [...head(text, view), ...rest, ...answer]
}

function manySuspended({ interrupts, hints }: Waiting, view: View): string[] {
  const shown = interrupts.slice(0, LISTED).flatMap((interrupt) => {
    const what = `${placeOf(interrupt)}: ${interrupt.kind} "${oneLine(interrupt.message)}"`
    const line = `  ${view.symbols.dot} ${truncate(what, Math.max(20, view.columns - 4))}`
    return hints ? [line, `  ${command(answerCommand(interrupt), view)}`] : [line]
  })
  const more = interrupts.length - LISTED
  const rest = more > 0 ? [`  ${view.symbols.more} and ${more} more`] : []
  return [...head(`Suspended: ${interrupts.length} questions are open.`, view), ...shown, ...rest]
}

/** `Waiting for an approval at node:review.` */
function waitingFor(interrupts: readonly Interrupt[]): string {
  const [first, ...others] = interrupts
  if (first === undefined) return ''
  if (others.length > 0) return `Waiting for ${interrupts.length} answers.`
  return `Waiting for ${wantedOf(first)} at ${placeOf(first)}.`
}

function commands({ threadId, interrupts, hints }: Waiting, view: View): string[] {
  if (!hints) return []
  const [first, ...others] = interrupts
  const go = labelled('Continue:', continueCommand(threadId), view)
  const answerable = first !== undefined && others.length === 0 && first.kind !== 'breakpoint'
  return answerable ? [go, labelled('Answer:', answerCommand(first), view)] : [go]
}

function labelled(label: string, text: string, { paint }: View): string {
  return `  ${label.padEnd(9)}  ${paint.cyan(text)}`
}

function command(text: string, { paint }: View): string {
  return `  ${paint.cyan(text)}`
}

function head(text: string, { paint, symbols }: View): string[] {
  return [`${paint.yellow(symbols.pause)} ${text.trimEnd()}`]
}

function noAnswerFor(ms: number | undefined): string {
  return ms === undefined ? 'No answer came. ' : `No answer for ${formatDuration(ms)}. `
}
