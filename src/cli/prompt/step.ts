import type { Asked } from '../terminal/asked.ts'
import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { wording } from './wording.ts'

/** One prompt's part in asking a question: its outcome, or lines under which it is asked again. */
export type Step = InterruptOutcome | { readonly kind: 'again'; readonly above: readonly string[] }

/** A prompt that was not answered. */
export type Unanswered = Exclude<Asked<never>, { readonly kind: 'answer' }>

/** Asks until a step has an outcome. */
export async function untilOutcome(
  first: readonly string[],
  step: (above: readonly string[]) => Promise<Step>,
): Promise<InterruptOutcome> {
  let above = first
  for (;;) {
    const next = await step(above)
    if (next.kind !== 'again') return next
    above = next.above
  }
}

/** A way out as the question's outcome; where nothing is kept, putting off asks again instead. */
export function leave(asking: Asking, unanswered: Unanswered): Step {
  if (unanswered.kind === 'back') return { kind: 'again', above: [] }
  const isWish =
    unanswered.kind === 'deferred' && unanswered.via !== 'eof' && unanswered.via !== 'timeout'
  if (asking.canDefer || !isWish) return unanswered
  const { paint, symbols } = asking.view
  return { kind: 'again', above: [paint.yellow(`${symbols.warn} ${wording.cannotDefer}`)] }
}

/** The entry that puts a question off was chosen. */
export function later(asking: Asking): Step {
  return leave(asking, { kind: 'deferred', via: 'choice' })
}

/** A value as the outcome when the question takes it, else what is wrong with it. */
export async function submit(asking: Asking, value: unknown, reason?: string): Promise<Step> {
  const problems = await asking.problems(value)
  if (problems.length > 0) return { kind: 'again', above: asking.problemLines(problems) }
  const why = reason === undefined || reason === '' ? {} : { reason }
  return { kind: 'answer', value, via: 'prompt', ...why }
}

/** The last entry of a menu. */
export function laterOption(): { value: typeof LATER; name: string; word: string } {
  return { value: LATER, name: wording.later, word: 'later' }
}
