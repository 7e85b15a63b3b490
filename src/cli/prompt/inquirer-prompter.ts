import type { Asked } from '../terminal/asked.ts'
import { drawnColumns, type Console } from '../terminal/console.ts'
import type {
  CheckboxQuestion,
  InputQuestion,
  Prompter,
  Question,
  SelectQuestion,
} from '../terminal/prompter.ts'
import { ask, type AskRequest, type PromptContext, type Session } from './ask.ts'
import { createFilter } from './filter.ts'
import { pageSize, shownOptions, type ShownOption } from './option-list.ts'
import { promptTheme } from './theme.ts'

const ERASE_LINE_ABOVE = '\u001b[1A\u001b[2K'

/** Prompts with a cursor, drawn by the inquirer package; each is loaded when it is first needed. */
export class InquirerPrompter implements Prompter {
  readonly #open: () => Console
  readonly #session: Session

  constructor(open: () => Console, session: Session) {
    this.#open = open
    this.#session = session
  }

  select<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const console = this.#open()
    const choices = shownOptions(question.options, drawnColumns(console.output))
    return this.#ask(console, question, {
      open: async (context) => {
        const { select } = await import('./inquirer/select.ts')
        const config = { ...this.#config(console, question), choices, loop: false }
        const start = question.start === undefined ? {} : { default: question.start }
        return select<unknown>(
          { ...config, ...start, pageSize: pageSize(choices.length, console.output.rows) },
          context,
        ) as Promise<T>
      },
    })
  }

  search<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const console = this.#open()
    const shown = shownOptions(question.options, drawnColumns(console.output))
    const filter = createFilter(shown, ({ short }) => short)
    return this.#ask(console, question, {
      open: async (context) => {
        const { search, Separator } = await import('./inquirer/search.ts')
        const source = (term = ''): (ShownOption<T> | InstanceType<typeof Separator>)[] => {
          const { found, total } = filter(term)
          if (total <= found.length) return [...found]
          const { dot, more } = console.symbols
          return [
            ...found,
            new Separator(
              `${more} ${found.length} of ${total.toLocaleString('en')} shown ${dot} type more to narrow`,
            ),
          ]
        }
        return search<unknown>(
          {
            ...this.#config(console, question),
            source,
            pageSize: pageSize(50, console.output.rows),
          },
          context,
        ) as Promise<T>
      },
    })
  }

  checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>> {
    const console = this.#open()
    const checked = new Set(question.checked)
    const choices = shownOptions(question.options, drawnColumns(console.output)).map((option) => ({
      ...option,
      checked: checked.has(option.value),
    }))
    return this.#ask(console, question, {
      open: async (context) => {
        const { checkbox } = await import('./inquirer/checkbox.ts')
        const validate = (
          picked: readonly { readonly value: unknown }[],
        ): string | true | Promise<string | true> =>
          question.validate?.(picked.map(({ value }) => value as T)) ?? true
        return checkbox<unknown>(
          {
            ...this.#config(console, question),
            choices,
            validate,
            loop: false,
            pageSize: pageSize(choices.length, console.output.rows),
          },
          context,
        ) as Promise<readonly T[]>
      },
    })
  }

  input(question: InputQuestion): Promise<Asked<string>> {
    const console = this.#open()
    let line = ''
    const transformer = (text: string): string => {
      line = text
      return text
    }
    const { prefill, validate = () => true as const } = question
    return this.#ask(console, question, {
      typed: () => line !== '' && line !== prefill,
      open: async (context) => {
        const { input } = await import('./inquirer/input.ts')
        const start =
          prefill === undefined ? {} : ({ default: prefill, prefill: 'editable' } as const)
        return input(
          { ...this.#config(console, question), ...start, transformer, validate },
          context,
        )
      },
    })
  }

  password(question: InputQuestion): Promise<Asked<string>> {
    const console = this.#open()
    const { validate = () => true as const } = question
    return this.#ask(console, question, {
      open: async (context) => {
        const { password } = await import('./inquirer/password.ts')
        const { mask } = console.symbols
        return password(
          { ...this.#config(console, question), mask, toggleMask: false, validate },
          context,
        )
      },
    })
  }

  show(lines: readonly string[]): void {
    const { output } = this.#open()
    for (const line of lines) output.write(`${line}\n`)
  }

  retract(lines: number): void {
    this.#open().output.write(ERASE_LINE_ABOVE.repeat(lines))
  }

  #config(console: Console, { message, back }: Question): { message: string; theme: object } {
    return { message, theme: promptTheme(console, back) }
  }

  #ask<T>(
    console: Console,
    question: Question,
    request: { open(context: PromptContext): Promise<T>; typed?: () => boolean },
  ): Promise<Asked<T>> {
    const above = question.above ?? []
    const full: AskRequest<T> = { ...request, control: question, above }
    return ask(console, this.#session, full)
  }
}
