import type { Asked } from '../terminal/asked.ts'
import { drawnColumns, type Console } from '../terminal/console.ts'
import type {
  CheckboxQuestion,
  InputQuestion,
  Prompts,
  Question,
  SelectQuestion,
} from '../terminal/prompter.ts'
import { safe } from '../terminal/safe.ts'
import { ask, type Session } from './ask.ts'
import { createFilter } from './filter.ts'
import { askLines, type LineForm, type Reading } from './line-form.ts'
import { candidates, indexOf, listed, wordedOptions } from './worded-option.ts'

/**
 * Prompts for terminals that can't move the cursor and for screen readers: numbered lists, whole
 * lines, no drawing over anything. The end of input means later.
 */
export class PlainPrompts implements Prompts {
  readonly #open: () => Console
  readonly #session: Session

  constructor(open: () => Console, session: Session) {
    this.#open = open
    this.#session = session
  }

  select<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const options = wordedOptions(question.options)
    const last = options.length
    const start = options.findIndex(({ value }) => value === question.start) + 1
    const usual = start === 0 ? last : start
    const columns = drawnColumns(this.#open().output)
    return this.#lines(question, {
      list: listed(options, columns),
      line: `Type a number or word, then Enter [${usual}]:`,
      read: (typed) => {
        const text = typed.trim()
        const index = text === '' ? usual - 1 : indexOf(options, text)
        return reading(options[index])
      },
    })
  }

  search<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    const options = wordedOptions(question.options)
    const filter = createFilter(options, ({ word }) => word)
    const hint = `Type part of one of ${options.length.toLocaleString('en')} options, or # and its number:`
    return this.#lines(question, {
      list: [],
      line: hint,
      read: (typed) => {
        const text = typed.trim()
        const byNumber = /^#(\d+)$/u.exec(text)?.[1]
        if (byNumber !== undefined) return reading(options[Number(byNumber) - 1])
        if (text === '') return { again: undefined }
        const { found, total } = filter(text)
        const [first] = found
        if (first !== undefined && (total === 1 || first.word === text))
          return { value: first.value }
        return { again: total === 0 ? 'No option has that in it.' : candidates(found, total) }
      },
    })
  }

  checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>> {
    const options = wordedOptions(question.options)
    const columns = drawnColumns(this.#open().output)
    const { checked = [], validate } = question
    const usual = checked.map((value) => options.findIndex((option) => option.value === value) + 1)
    return this.#lines(question, {
      list: listed(options, columns),
      line: `Type numbers or words with commas between, 0 for none [${usual.join(',') || '0'}]:`,
      read: (typed) => {
        const text = typed.trim()
        const parts = text === '' ? usual.map(String) : text.split(',').map((part) => part.trim())
        const indexes = parts.filter((part) => part !== '0').map((part) => indexOf(options, part))
        const values = indexes.flatMap((index) => options[index] ?? []).map(({ value }) => value)
        return values.length < indexes.length ? { again: undefined } : { value: values }
      },
      validate,
    })
  }

  input(question: InputQuestion): Promise<Asked<string>> {
    const { message, prefill, validate } = question
    return this.#lines(question, {
      list: [],
      line: prefill === undefined ? `${message}:` : `${message} [${safe(prefill)}]:`,
      read: (text) => ({ value: text === '' ? (prefill ?? '') : text }),
      validate,
    })
  }

  password(question: InputQuestion): Promise<Asked<string>> {
    return this.#lines(question, {
      list: [],
      line: `${question.message} (not shown):`,
      read: (text) => ({ value: text }),
      validate: question.validate,
      hidden: true,
    })
  }

  #lines<T>(question: Question, form: LineForm<T>): Promise<Asked<T>> {
    const console = this.#open()
    return ask<T>(console, this.#session, {
      plain: true,
      control: question,
      above: [...(question.above ?? []), ...form.list],
      prepare: async () => (context) => askLines(console.output, form, context),
    })
  }
}

function reading<T>(option: { readonly value: T } | undefined): Reading<T> {
  return option === undefined ? { again: undefined } : { value: option.value }
}
