import type { InterruptContext } from '../../core/command.ts'
import { messageOf, type Problem } from '../../core/errors.ts'
import type { AnswerVia, Interrupt } from '../../core/interrupt.ts'
import { renderQuestion, type DrawnQuestion } from '../render/question.ts'
import { viewOf, type View } from '../render/view.ts'
import type { Elsewhere, Left } from '../terminal/asked.ts'
import type { Control } from '../terminal/prompter.ts'
import { safe } from '../terminal/safe.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrap } from '../terminal/wrap.ts'

/** What came of one question. */
export type InterruptOutcome =
  | {
      readonly kind: 'answer'
      readonly value: unknown
      readonly via: AnswerVia
      /** Why not, for a rejected approval that keeps only yes or no. */
      readonly reason?: string
    }
  | (Left & { readonly draft?: Draft })
  | Elsewhere

/** The fields of a form that were filled in; secrets are never among them. */
export type Draft = Readonly<Record<string, unknown>>

/** What asking one question needs. */
export interface AskContext extends Pick<InterruptContext, 'signal' | 'check'> {
  readonly terminal: Terminal
  /** The flow as the person knows it: its file or its name. */
  readonly flow: string
  readonly index: number
  readonly total: number
  /** Where the cursor of an approval stands; never on yes. */
  readonly approvalStart?: 'defer' | 'reject' | undefined
  /** False when nothing is kept on disk: later would lose the run. */
  readonly canDefer?: boolean | undefined
  /** Defers this long after the question is shown. */
  readonly timeoutMs?: number | undefined
  /** From how many options on one types instead of choosing from a list. */
  readonly maxChoices?: number | undefined
  readonly draft?: Draft | undefined
  readonly now?: (() => number) | undefined
}

/** The value of the entry that puts a question off: no option can be equal to it. */
export const LATER: unique symbol = Symbol('later')

const PROBLEM_LINES = 6

// One question being asked: what every prompt of it shares.

/** A question on its way to an answer, over as many prompts as it takes. */
export class Asking {
  readonly interrupt: Interrupt
  readonly context: AskContext
  readonly #deadline: number | undefined

  constructor(interrupt: Interrupt, context: AskContext) {
    this.interrupt = interrupt
    this.context = context
    const { timeoutMs } = context
    this.#deadline = timeoutMs === undefined ? undefined : Date.now() + timeoutMs
  }

  get terminal(): Terminal {
    return this.context.terminal
  }

  get canDefer(): boolean {
    return this.context.canDefer !== false
  }

  /** What ends each prompt of this question. */
  get control(): Control {
    const { signal } = this.context
    const left = this.#deadline === undefined ? {} : { timeoutMs: this.#deadline - Date.now() }
    return { signal, stay: !this.canDefer, ...left }
  }

  get view(): View {
    return viewOf(this.terminal, this.context.now)
  }

  /** The head of the question. */
  draw(viewable: boolean): DrawnQuestion {
    const { flow, index, total } = this.context
    return renderQuestion(this.interrupt, { flow, index, total, viewable }, this.view)
  }

  /** What is wrong with a value; empty when the question takes it. */
  async problems(value: unknown): Promise<readonly Problem[]> {
    try {
      return await this.context.check(this.interrupt.id, value)
    } catch (error) {
      const text = `The validator failed: ${messageOf(error)}. The question stays open.  [E1410]`
      return [{ path: '', message: text }]
    }
  }

  /** {@link problemLines} as this question's terminal draws them. */
  problemLines(problems: readonly Problem[]): string[] {
    return problemLines(problems, this.view)
  }
}

/** Lines under which a question is asked again. */
export function problemLines(
  problems: readonly Problem[],
  { paint, symbols, columns }: View,
): string[] {
  return problems
    .map(textOfProblem)
    .flatMap((text) => wrap(`${symbols.fail} ${safe(text)}`, columns))
    .slice(0, PROBLEM_LINES)
    .map((line) => paint.red(line))
}

/** A problem with the place it is at. */
export function textOfProblem({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`
}
