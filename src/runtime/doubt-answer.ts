// What a person may say about a step that is in doubt, and what it comes to.

import type { Choice } from '../core/interrupt.ts'

/** What is decided about a step that is in doubt. */
export type Verdict =
  | { readonly kind: 'happened'; readonly result: unknown }
  | { readonly kind: 'run' }
  | { readonly kind: 'fail' }

/** The answers that are a word. */
export const DOUBT_CHOICES: readonly Choice[] = [
  { value: 'happened', name: 'It happened', description: 'goes on without running it' },
  { value: 'run', name: 'It did not happen', description: 'runs it now' },
  { value: 'fail', name: 'Fail', description: 'the step fails; asked again when it is retried' },
]

/** The verdict in an answer: one of the words, or what `verify` gives; undefined for anything else. */
export function verdictIn(answer: unknown): Verdict | undefined {
  if (answer === 'happened') return { kind: 'happened', result: undefined }
  if (answer === 'run' || answer === 'fail') return { kind: answer }
  if (typeof answer !== 'object' || answer === null || !('happened' in answer)) return undefined
  const { happened, ...rest } = answer
  const isStray = Object.keys(rest).some((key) => key !== 'result' || happened !== true)
  if (isStray) return undefined
  if (happened === true) return { kind: 'happened', result: Reflect.get(rest, 'result') }
  return happened === false ? { kind: 'run' } : undefined
}
