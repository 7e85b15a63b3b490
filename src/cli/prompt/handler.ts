// Answers the questions of a run at a terminal, one at a time, so that what an answer unlocks goes
// on before the next question is shown.
//
// Invariants:
//   1. Each call answers one question (or one batch of approvals) or defers.
//   2. Once the person left, every call defers and nothing is drawn.
//   3. A question that was answered here is not asked again.

import type { InterruptContext, InterruptDecision, InterruptHandler } from '../../core/command.ts'
import type { AnswerSource, Interrupt } from '../../core/interrupt.ts'
import { renderRecord, type Given } from '../render/record.ts'
import { viewOf } from '../render/view.ts'
import type { Elsewhere, Left } from '../terminal/asked.ts'
import { oneLine } from '../terminal/safe.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createTurn } from '../terminal/turn.ts'
import { askInterrupt } from './ask-interrupt.ts'
import { problemLines, type AskContext, type Draft, type InterruptOutcome } from './asking.ts'
import { planSeveral, type Plan } from './several.ts'

/** Keeps half-filled forms between runs. */
export interface DraftStore {
  load(interruptId: string): Promise<Draft | undefined>
  save(interruptId: string, draft: Draft): Promise<void>
}

/** How the questions of a run are asked. */
export interface PromptHandlerOptions extends Pick<
  AskContext,
  'flow' | 'approvalStart' | 'canDefer' | 'timeoutMs' | 'maxChoices' | 'now'
> {
  /** Who answers: stored with each answer. */
  readonly source?: Pick<AnswerSource, 'by' | 'osUser'>
  readonly drafts?: DraftStore
}

/** How the person left, and which question was on the screen. */
export type LeftAt = Left & { readonly interrupt: Interrupt }

/** An {@link InterruptHandler} that remembers how the person left. */
export interface PromptHandler extends InterruptHandler {
  /** Undefined as long as every question was answered. */
  readonly left: LeftAt | undefined
}

/** Asks at `terminal`; the caller has made sure that it is interactive. */
export function createPromptHandler(
  terminal: Terminal,
  options: PromptHandlerOptions,
): PromptHandler {
  const round = new Round(terminal, options)
  const turn = createTurn()
  const handler: InterruptHandler = (open, context) => turn(() => round.answer(open, context))
  return Object.defineProperty(handler, 'left', { get: () => round.left }) as PromptHandler
}

class Round {
  left: LeftAt | undefined
  readonly #terminal: Terminal
  readonly #options: PromptHandlerOptions
  readonly #done = new Set<string>()
  #last: readonly string[] = []
  #answered = 0
  #oneByOne = false

  constructor(terminal: Terminal, options: PromptHandlerOptions) {
    this.#terminal = terminal
    this.#options = options
  }

  async answer(all: readonly Interrupt[], context: InterruptContext): Promise<InterruptDecision> {
    if (this.left !== undefined) return 'defer'
    const open = all.filter(({ id }) => !this.#done.has(id))
    const [first] = open
    if (first === undefined) return {}
    this.#count(open)
    this.#terminal.status(undefined)
    this.#terminal.logs.hold()
    try {
      const plan = await this.#plan(open, context)
      if (plan.kind === 'each') return await this.#ask(first, open, context)
      if (plan.kind === 'one') return await this.#ask(plan.interrupt, open, context)
      if (plan.kind === 'approve') return await this.#approve(plan.interrupts, context)
      return plan.kind === 'back' ? {} : await this.#close(plan, first)
    } finally {
      this.#terminal.logs.release()
    }
  }

  /** Numbers start again when nothing of what was open before is left. */
  #count(open: readonly Interrupt[]): void {
    const ids = open.map(({ id }) => id)
    if (!ids.some((id) => this.#last.includes(id))) {
      this.#answered = 0
      this.#oneByOne = false
    }
    this.#last = ids
  }

  async #plan(open: readonly Interrupt[], { signal }: InterruptContext): Promise<Plan> {
    if (open.length === 1 || this.#oneByOne) return { kind: 'each' }
    const { flow, timeoutMs, canDefer } = this.#options
    const control = { signal, timeoutMs, stay: canDefer === false }
    const plan = await planSeveral({ terminal: this.#terminal, flow, open, control })
    // The empty line below the list; the next head brings its own.
    if (plan.kind === 'each' || plan.kind === 'one') this.#terminal.prompter.retract(1)
    // Where later is refused, the first question says so.
    const refused = plan.kind === 'deferred' && canDefer === false && plan.via !== 'eof'
    if (plan.kind === 'each' || refused) this.#oneByOne = true
    return refused ? { kind: 'each' } : plan
  }

  async #ask(
    interrupt: Interrupt,
    open: readonly Interrupt[],
    asked: InterruptContext,
  ): Promise<InterruptDecision> {
    const place = { index: this.#answered + 1, total: this.#answered + open.length }
    const draft = await this.#options.drafts?.load(interrupt.id)
    const terminal = this.#terminal
    const { signal } = asked
    const check: AskContext['check'] = (id, value) => asked.check(id, value)
    const context = { ...this.#options, ...place, terminal, signal, check, draft }
    const outcome = await askInterrupt(interrupt, context)
    if (outcome.kind !== 'answer') return this.#close(outcome, interrupt)
    this.#note([[interrupt, outcome]], asked)
    return this.#decision([[interrupt.id, outcome.value]], outcome.reason)
  }

  async #approve(
    interrupts: readonly Interrupt[],
    context: InterruptContext,
  ): Promise<InterruptDecision> {
    const answers: [Interrupt, Given][] = []
    for (const interrupt of interrupts) {
      const value = interrupt.detail === true ? { approved: true } : true
      // What is refused stays open and is asked by itself.
      if ((await context.check(interrupt.id, value)).length > 0) continue
      answers.push([interrupt, { value }])
    }
    this.#oneByOne ||= answers.length < interrupts.length
    if (answers.length === 0) return this.answer(interrupts, context)
    this.#note(answers, context)
    return this.#decision(answers.map(([{ id }, { value }]) => [id, value]))
  }

  /** Answers are given: they are shown when the flow has taken them, and its reason when it has not. */
  #note(answers: readonly (readonly [Interrupt, Given])[], context: InterruptContext): void {
    for (const [{ id }] of answers) this.#done.add(id)
    this.#answered += answers.length
    const show = (): void =>
      this.#terminal.prompter.show(
        answers.map(([interrupt, given]) => renderRecord(interrupt, given, this.#view())),
      )
    if (context.outcome === undefined) return show()
    context.outcome((refusal) => {
      if (refusal === undefined) return show()
      for (const [{ id }] of answers) this.#done.delete(id)
      this.#answered -= answers.length
      this.#oneByOne ||= answers.length > 1
      this.#terminal.prompter.show(problemLines(refusal.problems, this.#view()))
    })
  }

  #decision(answers: readonly [string, unknown][], reason?: string): InterruptDecision {
    const why = reason === undefined ? {} : { reason }
    const source: AnswerSource = { ...this.#options.source, via: 'prompt', ...why }
    return { answers: Object.fromEntries(answers), source }
  }

  async #close(
    outcome: Exclude<InterruptOutcome, { readonly kind: 'answer' }>,
    interrupt: Interrupt,
  ): Promise<InterruptDecision> {
    if (outcome.kind === 'elsewhere') {
      if (outcome.stopped !== true) this.#terminal.prompter.show([this.#elsewhere(outcome)])
      return {}
    }
    const { draft, ...left } = outcome
    if (draft !== undefined) await this.#options.drafts?.save(interrupt.id, draft)
    this.left = { ...left, interrupt }
    return 'defer'
  }

  #elsewhere({ reason }: Elsewhere): string {
    const { paint, symbols } = this.#view()
    const said = reason === undefined ? 'not open any more' : oneLine(reason)
    const text = `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`
    const sign = said.startsWith('expired') ? symbols.clock : symbols.pause
    return paint.yellow(`${sign} ${text}`)
  }

  #view(): ReturnType<typeof viewOf> {
    return viewOf(this.#terminal, this.#options.now)
  }
}
