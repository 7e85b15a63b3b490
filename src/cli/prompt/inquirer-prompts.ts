import type { Asked } from '../terminal/asked.ts'
import { drawnColumns, type Console } from '../terminal/console.ts'
import type {
  CheckboxQuestion,
  InputQuestion,
  Option,
  Prompts,
  Question,
  SelectQuestion,
} from '../terminal/prompter.ts'
import type { Symbols } from '../terminal/symbols.ts'
import { ask, type AskRequest, type Session } from './ask.ts'
import { createFilter } from './filter.ts'
import { pageSize, shownOptions, type ShownOption } from './option-list.ts'
import { withTamedKeys } from './tamed-keys.ts'
import { promptTheme } from './theme.ts'

/** Prompts with a cursor, drawn by the inquirer package; each is loaded when it is first needed. */
export class InquirerPrompts implements Prompts {
  readonly #open: () => Console
  readonly #session: Session

  constructor(open: () => Console, session: Session) {
    this.#open = open
    this.#session = session
  }

  async select<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const console = this.#open()
    const { options, start } = question
    const choices = placed(options, console)
    const usual = options.findIndex(({ value }) => value === start)
    const asked = await this.#ask(console, question, {
      prepare: async () => {
        const { select } = await import('./inquirer/select.ts')
        const size = pageSize(choices, console.output.rows)
        const config = { ...this.#config(console, question), choices, loop: false, pageSize: size }
        const whole = usual < 0 ? config : { ...config, default: usual }
        return (context) => withTamedKeys(context.input, () => select(whole, context))
      },
    })
    return valueAt(options, asked)
  }

  async search<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const console = this.#open()
    const filter = createFilter(placed(question.options, console), ({ short }) => short)
    const asked = await this.#ask(console, question, {
      prepare: async () => {
        const { search } = await import('./inquirer/search.ts')
        let last = filter('')
        const source = (term = ''): readonly PlacedOption[] => {
          last = filter(term)
          return last.found
        }
        const note = (): string | undefined => narrowNote(last, console.symbols)
        const size = pageSize(last.found, console.output.rows)
        const config = { ...this.#config(console, question, note), source, pageSize: size }
        return (context) => search(config, context)
      },
    })
    return valueAt(question.options, asked)
  }

  async checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>> {
    const console = this.#open()
    const { options, checked = [], validate } = question
    const isChecked = options.map(({ value }) => checked.includes(value))
    const choices = placed(options, console).map((option) =>
      checkable(option, isChecked[option.value] === true),
    )
    const valuesOf = (places: readonly number[]): T[] =>
      places.flatMap((index) => options.slice(index, index + 1)).map(({ value }) => value)
    const asked = await this.#ask(console, question, {
      prepare: async () => {
        const { checkbox } = await import('./inquirer/checkbox.ts')
        const config = {
          ...this.#config(console, question),
          choices,
          loop: false,
          pageSize: pageSize(choices, console.output.rows),
          validate: (picked: readonly { readonly value: number }[]) =>
            validate?.(valuesOf(picked.map(({ value }) => value))) ?? true,
        }
        return (context) => withTamedKeys(context.input, () => checkbox(config, context))
      },
    })
    return asked.kind === 'answer' ? { kind: 'answer', value: valuesOf(asked.value) } : asked
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
      prepare: async () => {
        const { input } = await import('./inquirer/input.ts')
        const start =
          prefill === undefined ? {} : ({ default: prefill, prefill: 'editable' } as const)
        const config = { ...this.#config(console, question), ...start, transformer, validate }
        return (context) => input(config, context)
      },
    })
  }

  password(question: InputQuestion): Promise<Asked<string>> {
    const console = this.#open()
    const { validate = () => true as const } = question
    return this.#ask(console, question, {
      prepare: async () => {
        const { password } = await import('./inquirer/password.ts')
        const { mask } = console.symbols
        const config = { ...this.#config(console, question), mask, toggleMask: false, validate }
        return (context) => password(config, context)
      },
    })
  }

  #config(
    console: Console,
    { message, back }: Question,
    note: () => string | undefined = () => undefined,
  ): { message: string; theme: object } {
    return { message, theme: promptTheme(console, { back, note }) }
  }

  #ask<T>(
    console: Console,
    question: Question,
    request: Pick<AskRequest<T>, 'prepare' | 'typed'>,
  ): Promise<Asked<T>> {
    const above = question.above ?? []
    const full: AskRequest<T> = { ...request, control: question, above }
    return ask(console, this.#session, full)
  }
}

/** An option with its place for a value: any value is possible, equal ones too. */
type PlacedOption = ShownOption<unknown> & { readonly value: number }

function placed(options: readonly Option<unknown>[], console: Console): PlacedOption[] {
  const shown = shownOptions(options, drawnColumns(console.output))
  return shown.map(place)
}

function place(option: ShownOption<unknown>, value: number): PlacedOption {
  return { ...option, value }
}

function checkable(option: PlacedOption, checked: boolean): PlacedOption & { checked: boolean } {
  return { ...option, checked }
}

function valueAt<T>(options: readonly Option<T>[], asked: Asked<number>): Asked<T> {
  if (asked.kind !== 'answer') return asked
  const option = options[asked.value]
  if (option === undefined) throw new Error('A prompt gave an option that was not offered')
  return { kind: 'answer', value: option.value }
}

/** How many of a long list are not shown. */
function narrowNote(
  { found, total }: { readonly found: readonly unknown[]; readonly total: number },
  { more }: Symbols,
): string | undefined {
  if (total <= found.length) return undefined
  const all = total.toLocaleString('en')
  return `${more} ${found.length} of ${all} shown, type more to narrow`
}
