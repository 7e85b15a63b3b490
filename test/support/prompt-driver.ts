// Asks made-up questions with the real prompts, for tests on a pseudo terminal. Its argument is
// JSON: what to ask and how. On stdout it leaves what came of it, as one line of JSON.

import { setTimeout as sleep } from 'node:timers/promises'

import { createPromptHandler, type PromptHandlerOptions } from '../../src/cli/prompt/handler.ts'
import { createTerminal, type TerminalOptions } from '../../src/cli/terminal/process-terminal.ts'
import type { Interrupt } from '../../src/core/interrupt.ts'

/** What the driver is told. */
export interface DriverPlan {
  readonly questions: readonly (Partial<Interrupt> & { readonly choiceCount?: number })[]
  readonly terminal?: TerminalOptions
  readonly options?: Partial<PromptHandlerOptions>
  /** Milliseconds of work before the first question. */
  readonly busyMs?: number
  /** Writes a log line every few milliseconds while questions are asked. */
  readonly chatter?: boolean
  /** Answers that the check refuses, with what it says. */
  readonly refuse?: Readonly<Record<string, string>>
  /** The question is answered elsewhere after this time. */
  readonly elsewhereMs?: number
  /** What is asked then. */
  readonly afterwards?: DriverPlan['questions']
}

const plan: DriverPlan = JSON.parse(process.argv[2] ?? '{}')
const started = Date.now()
const listeners = (): number[] =>
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCONT'].map((signal) => process.listenerCount(signal))

const terminal = await createTerminal(plan.terminal)
const before = listeners()
const handler = createPromptHandler(terminal, { flow: 'flows/deploy.ts', ...plan.options })
const answers: Record<string, unknown> = {}
const reasons: unknown[] = []
let open = plan.questions.map(interruptOf)
let afterwards = (plan.afterwards ?? []).map(interruptOf)
let elsewhere = new AbortController()

if (plan.busyMs !== undefined) await sleep(plan.busyMs)
const chatter =
  plan.chatter === true ? setInterval(() => terminal.stderr('log line'), 20) : undefined
if (plan.elsewhereMs !== undefined) {
  setTimeout(() => elsewhere.abort(new Error('answered by ann')), plan.elsewhereMs).unref()
}
while (open.length > 0) {
  const decision = await handler(open, {
    signal: elsewhere.signal,
    check: async (_, value) => {
      const message = plan.refuse?.[typeof value === 'string' ? value : JSON.stringify(value)]
      return message === undefined ? [] : [{ path: '', message }]
    },
  })
  if (elsewhere.signal.aborted && afterwards.length > 0) {
    elsewhere = new AbortController()
    open = afterwards
    afterwards = []
    continue
  }
  if (decision === 'defer' || decision === undefined || !('answers' in decision)) break
  const given = decision.answers as Readonly<Record<string, unknown>>
  Object.assign(answers, given)
  reasons.push(decision.source)
  open = open.filter(({ id }) => !(id in given))
}
clearInterval(chatter)
// Work after the prompt: it has to be possible whatever way the prompt ended.
await sleep(5)
terminal.close()
process.stdout.write(
  `${JSON.stringify({
    answers,
    sources: reasons,
    left: handler.left,
    listeners: [before, listeners()],
    interactive: terminal.interactive,
    whyNot: terminal.whyNot,
    ms: Date.now() - started,
  })}\n`,
)
process.exitCode = exitCodeOf()

function exitCodeOf(): number {
  const { left } = handler
  if (left === undefined) return 0
  if (left.kind === 'deferred') return 75
  if (left.kind === 'interrupted') return 130
  return left.signal === 'SIGTERM' ? 143 : 129
}

function interruptOf(
  { choiceCount, ...given }: DriverPlan['questions'][number],
  index: number,
): Interrupt {
  const choices = Array.from({ length: choiceCount ?? 0 }, (_, number) => ({
    value: `customer-${number}`,
    name: `customer-${number}`,
  }))
  return {
    id: `i_question000${index + 1}`,
    threadId: '7f3k9q2m4d',
    address: [{ type: 'node', id: 'review' }],
    key: 'node:review',
    ordinal: index + 1,
    kind: 'approval',
    message: 'Deploy?',
    payload: undefined,
    digest: '8d1f0c',
    openedAt: '2026-11-30T09:00:00.000Z',
    ...(choices.length > 0 ? { choices } : {}),
    ...given,
  }
}
