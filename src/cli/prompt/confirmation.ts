import type { Asking } from './asking.ts'
import { leave, type Step } from './step.ts'
import { wording } from './wording.ts'

const GENERATED = /^[0-9a-z]{10}$/u
const SHORT = 4

/** What one types to let something dangerous happen: enough of the thread's id to have read it. */
export function shortThreadId(threadId: string): string {
  return GENERATED.test(threadId) ? threadId.slice(0, SHORT) : threadId
}

/**
 * Lets `go` happen: at once, or for a dangerous question after the thread's id was typed. A wrong
 * text leads back to the question.
 */
export async function confirmed(asking: Asking, go: () => Promise<Step>): Promise<Step> {
  const { interrupt, terminal, view } = asking
  if (interrupt.danger !== true) return go()
  const wanted = shortThreadId(interrupt.threadId)
  const message = `Type ${wanted} to confirm`
  const asked = await terminal.prompter.input({ message, ...asking.control })
  if (asked.kind !== 'answer') return leave(asking, asked)
  const typed = asked.value.trim()
  if (typed === wanted || typed === interrupt.threadId) return go()
  const { paint, symbols } = view
  return {
    kind: 'again',
    above: [paint.red(`${symbols.fail} ${wording.approval.wrongConfirmation}`)],
  }
}
