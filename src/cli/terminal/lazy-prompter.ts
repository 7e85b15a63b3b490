import type { Asked } from './asked.ts'
import type { Console } from './console.ts'
import type {
  CheckboxQuestion,
  InputQuestion,
  Prompter,
  Prompts,
  SelectQuestion,
} from './prompter.ts'

const ERASE_LINE_ABOVE = '\u001b[1A\u001b[2K'

/** What {@link LazyPrompter} asks with. */
export interface LazyPrompts {
  /** The keyboard and the screen, free of whatever else was drawn. */
  open(): Console
  /** Prompts without a cursor. */
  readonly plain: boolean
}

/** Prompts that are loaded with the first question: most commands ask nothing. */
export class LazyPrompter implements Prompter {
  readonly #options: LazyPrompts
  #prompts: Promise<Prompts> | undefined

  constructor(options: LazyPrompts) {
    this.#options = options
  }

  async select<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    return (await this.#load()).select(question)
  }

  async search<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    return (await this.#load()).search(question)
  }

  async checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>> {
    return (await this.#load()).checkbox(question)
  }

  async input(question: InputQuestion): Promise<Asked<string>> {
    return (await this.#load()).input(question)
  }

  async password(question: InputQuestion): Promise<Asked<string>> {
    return (await this.#load()).password(question)
  }

  show(lines: readonly string[]): void {
    const { output } = this.#options.open()
    for (const line of lines) output.write(`${line}\n`)
  }

  /** On a plain terminal nothing is taken back: what was read aloud stays. */
  retract(lines: number): void {
    if (!this.#options.plain) this.#options.open().output.write(ERASE_LINE_ABOVE.repeat(lines))
  }

  #load(): Promise<Prompts> {
    this.#prompts ??= import('../prompt/prompts.ts').then(({ createPrompts }) =>
      createPrompts(() => this.#options.open(), this.#options.plain),
    )
    return this.#prompts
  }
}
