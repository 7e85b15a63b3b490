import { briefJson } from '../render/json.ts'
import type { Option } from '../terminal/prompter.ts'
import { oneLine, safe } from '../terminal/safe.ts'
import { padEnd, truncate, widthOf } from '../terminal/width.ts'
import { wrap } from '../terminal/wrap.ts'
import { LATER, type Asking, type Draft, type InterruptOutcome } from './asking.ts'
import { askField } from './field-prompt.ts'
import { formShape, type Field } from './form-schema.ts'
import { later, laterOption, leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

/** Asks for what a JSON Schema describes: field by field with a last look, or one value. */
export async function askForm(asking: Asking): Promise<InterruptOutcome> {
  const shape = formShape(asking.interrupt.schema, wording.input.message)
  if (shape.type === 'value') return askValue(asking, shape.field)
  const outcome = await new Form(asking, shape.fields).ask()
  return outcome
}

function askValue(asking: Asking, field: Field): Promise<InterruptOutcome> {
  const current = asking.interrupt.default ?? field.usual
  return untilOutcome(asking.draw(false).lines, async (above) => {
    const asked = await askField(field, { asking, above, current, back: false })
    if (asked.kind === 'again') return asked
    return asked.kind === 'answer' ? submit(asking, asked.value) : leave(asking, asked)
  })
}

// A form being filled in.
//
// Invariants:
//   1. A line with a tick stands for each filled field, in the order of the fields.
//   2. What is filled in survives leaving, except secrets.

class Form {
  readonly #asking: Asking
  readonly #fields: readonly Field[]
  readonly #values = new Map<string, unknown>()
  readonly #labelWidth: number

  constructor(asking: Asking, fields: readonly Field[]) {
    this.#asking = asking
    this.#fields = fields
    this.#labelWidth = Math.min(20, Math.max(...fields.map(({ label }) => widthOf(oneLine(label)))))
    const draft = asking.context.draft ?? {}
    for (const { name } of fields) {
      if (name in draft) this.#values.set(name, draft[name])
    }
  }

  async ask(): Promise<InterruptOutcome> {
    const outcome = (await this.#fill()) ?? (await this.#review())
    const { kind } = outcome
    const left = kind === 'deferred' || kind === 'interrupted' || kind === 'stopped'
    return left ? { ...outcome, draft: this.#draft() } : outcome
  }

  /** Asks for every field that holds nothing yet; undefined when all do. */
  async #fill(): Promise<InterruptOutcome | undefined> {
    const { prompter } = this.#asking.terminal
    const filled = this.#fields.filter(({ name }) => this.#values.has(name))
    prompter.show([...this.#head(), ...filled.map((field) => this.#line(field))])
    let index = this.#fields.findIndex(({ name }) => !this.#values.has(name))
    while (index >= 0 && index < this.#fields.length) {
      const field = this.#fields[index]
      if (field === undefined) return undefined
      const step = await this.#askField(field, index > 0)
      if (step === 'back') prompter.retract(1)
      else if (step !== 'next') return step
      index += step === 'back' ? -1 : 1
    }
    return undefined
  }

  async #askField(field: Field, back: boolean): Promise<'next' | 'back' | InterruptOutcome> {
    const { prompter } = this.#asking.terminal
    let above = this.#description(field)
    for (;;) {
      const current = this.#values.get(field.name) ?? field.usual ?? this.#defaultOf(field)
      const asked = await askField(field, { asking: this.#asking, above, current, back })
      prompter.retract(above.length)
      if (asked.kind === 'answer') {
        this.#values.set(field.name, asked.value)
        prompter.show([this.#line(field)])
        return 'next'
      }
      if (asked.kind === 'back') return 'back'
      const step = asked.kind === 'again' ? asked : leave(this.#asking, asked)
      if (step.kind !== 'again') return step
      above = [...this.#description(field), ...step.above]
    }
  }

  #review(): Promise<InterruptOutcome> {
    const { message, send } = wording.form
    const options: Option<Field | 'send' | typeof LATER>[] = [
      { value: 'send', name: send, word: 'send' },
      ...this.#fields.map((field) => ({ value: field, name: `Change ${safe(field.label)}` })),
      laterOption(),
    ]
    return untilOutcome([], async (above) => {
      const { control, terminal } = this.#asking
      const question = { ...control, message, options, above: above.length > 0 ? above : [''] }
      const asked = await terminal.prompter.select<Field | 'send' | typeof LATER>(question)
      if (asked.kind !== 'answer') return leave(this.#asking, asked)
      if (asked.value === LATER) return later(this.#asking)
      if (asked.value === 'send') return submit(this.#asking, this.#answer())
      return this.#change(asked.value)
    })
  }

  async #change(field: Field): Promise<Step> {
    const step = await this.#askField(field, true)
    return step === 'next' || step === 'back' ? { kind: 'again', above: [] } : step
  }

  #head(): string[] {
    const { paint, plain, symbols } = this.#asking.view
    const count = `${this.#fields.length} ${this.#fields.length === 1 ? 'field' : 'fields'}`
    const keys = plain
      ? ''
      : ` ${symbols.dot} ${wording.keys.back} ${symbols.dot} ${wording.keys.later}`
    const line = `${count}${keys}`
    return [...this.#asking.draw(false).lines, plain ? line : `  ${paint.dim(line)}`, '']
  }

  #line(field: Field): string {
    const { paint, symbols, columns, plain } = this.#asking.view
    const label = padEnd(truncate(oneLine(field.label), this.#labelWidth), this.#labelWidth)
    const value = showValue(field, this.#values.get(field.name))
    if (plain) return `${oneLine(field.label)}: ${value}`
    const room = columns - this.#labelWidth - 7
    return `  ${paint.green(symbols.ok)} ${label}  ${truncate(value, room)}`
  }

  #description({ description }: Field): string[] {
    if (description === undefined) return []
    const { paint, columns } = this.#asking.view
    return wrap(safe(description), columns - 2).map((line) => `  ${paint.dim(line)}`)
  }

  #defaultOf({ name }: Field): unknown {
    const usual = this.#asking.interrupt.default
    return typeof usual === 'object' && usual !== null ? Reflect.get(usual, name) : undefined
  }

  #answer(): Record<string, unknown> {
    const given = [...this.#values].filter(([, value]) => value !== undefined)
    return Object.fromEntries(given)
  }

  #draft(): Draft {
    const secrets = new Set(
      this.#fields.filter(({ kind }) => kind.type === 'secret').map(({ name }) => name),
    )
    return Object.fromEntries(Object.entries(this.#answer()).filter(([name]) => !secrets.has(name)))
  }
}

function showValue(field: Field, value: unknown): string {
  if (value === undefined) return wording.form.empty
  if (field.kind.type === 'secret') return '••••'
  if (field.kind.type === 'boolean') return value === true ? wording.form.yes : wording.form.no
  if (Array.isArray(value) && field.kind.type === 'many') {
    return value.length === 0 ? 'none' : value.map((item) => oneLine(String(item))).join(', ')
  }
  return typeof value === 'string' ? oneLine(value) : oneLine(briefJson(value))
}
