import type { InterruptContext, InterruptDecision } from '../core/command.ts'
import type { Problem } from '../core/errors.ts'
import type { Interrupt } from '../core/interrupt.ts'

/** The questions of one run while they wait for somebody in this process. */
export class Waiting {
  readonly #open = new Map<string, Interrupt>()
  readonly #onDecided: (id: string) => void
  readonly #answers = new Map<string, unknown>()
  readonly #cancelled = new Map<string, string>()
  #context: InterruptContext | undefined
  #resolve: ((decision: InterruptDecision) => void) | undefined

  constructor(onDecided: (id: string) => void) {
    this.#onDecided = onDecided
  }

  get open(): readonly Interrupt[] {
    return [...this.#open.values()]
  }

  /** True when nothing is pending and nobody is asked. */
  get isDone(): boolean {
    return this.#open.size === 0 && this.#answers.size === 0 && this.#resolve === undefined
  }

  /** True for a question whose decision is on its way. */
  isDecided(id: string): boolean {
    return this.#answers.has(id) || this.#cancelled.has(id)
  }

  /** What the run asks now; resolves with what is decided, or with nothing when it is taken away. */
  decide(open: readonly Interrupt[], context: InterruptContext): Promise<InterruptDecision> {
    this.#open.clear()
    for (const one of open) if (!this.isDecided(one.id)) this.#open.set(one.id, one)
    this.#context = context
    return new Promise((resolve) => {
      this.#resolve = resolve
      context.signal.addEventListener('abort', () => this.#withdraw(), { once: true })
      this.#hand()
    })
  }

  async check(id: string, value: unknown): Promise<readonly Problem[]> {
    return (await this.#context?.check(id, value)) ?? []
  }

  answer(answers: Readonly<Record<string, unknown>>): void {
    for (const [id, value] of Object.entries(answers)) {
      this.#open.delete(id)
      this.#onDecided(id)
      this.#answers.set(id, value)
    }
    this.#hand()
  }

  cancel(reason: string, id?: string): void {
    for (const open of id === undefined ? [...this.#open.keys()] : [id]) {
      if (this.#open.delete(open)) this.#cancelled.set(open, reason)
      this.#onDecided(open)
    }
    this.#hand()
  }

  #hand(): void {
    if (this.#answers.size + this.#cancelled.size === 0 || this.#resolve === undefined) return
    const decision = {
      answers: Object.fromEntries(this.#answers),
      cancel: Object.fromEntries(this.#cancelled),
    }
    this.#answers.clear()
    this.#cancelled.clear()
    this.#finish(decision)
  }

  /** The run stops, or a question was answered elsewhere: what is still open is asked again, if at all. */
  #withdraw(): void {
    this.#open.clear()
    this.#finish(undefined)
  }

  #finish(decision: InterruptDecision): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(decision)
  }
}
