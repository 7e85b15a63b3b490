import type { Asked } from './asked.ts'

/** One entry of a list. */
export interface Option<T> {
  readonly value: T
  readonly name: string
  /** Shown while the entry is the current one. */
  readonly description?: string
  /** What one types for it at a line prompt; the name in lower case when left out. */
  readonly word?: string
}

/** What may end or change one prompt besides an answer. */
export interface Control {
  /** Closes the prompt: the question is not open any more. The reason's text is shown. */
  readonly signal?: AbortSignal | undefined
  /** Defers after this many milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Ctrl+B goes back one step. */
  readonly back?: boolean | undefined
  /** Putting off does not count as leaving: later prompts still open. */
  readonly stay?: boolean | undefined
}

/** What every prompt shows. */
export interface Question extends Control {
  readonly message: string
  /** Lines above the prompt; they stay when it is answered. */
  readonly above?: readonly string[] | undefined
}

/** One of several; the current entry is the first, or `start`. */
export interface SelectQuestion<T> extends Question {
  readonly options: readonly Option<T>[]
  readonly start?: T | undefined
}

/** Any of several. */
export interface CheckboxQuestion<T> extends Question {
  readonly options: readonly Option<T>[]
  readonly checked?: readonly T[] | undefined
  readonly validate?: ((values: readonly T[]) => Verdict) | undefined
}

/** True for yes, else what is wrong. */
export type Verdict = true | string | Promise<true | string>

/** One line of text. */
export interface InputQuestion extends Question {
  /** Stands in the line and can be edited. */
  readonly prefill?: string | undefined
  readonly validate?: ((text: string) => Verdict) | undefined
}

/** Asks one thing at a time. After the person left, every further question gives the same way out. */
export interface Prompts {
  select<T>(question: SelectQuestion<T>): Promise<Asked<T>>
  /** For long lists: what is typed narrows them. */
  search<T>(question: SelectQuestion<T>): Promise<Asked<T>>
  checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>>
  input(question: InputQuestion): Promise<Asked<string>>
  /** A line that is not shown. */
  password(question: InputQuestion): Promise<Asked<string>>
}

/** {@link Prompts}, and what is drawn between them. */
export interface Prompter extends Prompts {
  /** Draws lines even while logs are held. */
  show(lines: readonly string[]): void
  /** Takes back the last lines drawn by `show`, where the terminal can. */
  retract(lines: number): void
}
