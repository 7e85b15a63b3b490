import type { Config } from '../../config.ts'
import type { AnsweredInterrupt, ThreadView } from '../../core/command.ts'
import type { RunEvent } from '../../core/event.ts'
import type { Interrupt } from '../../core/interrupt.ts'

const HIDDEN = '••••'

/** One step of a pattern: a name, any one step, or any number of steps. */
type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }

/** Hides what the configuration's `redact` paths point to; everything else stays as it is, by reference. */
export class Redaction {
  readonly #patterns: readonly (readonly Step[])[]

  constructor({ redact = [] }: Pick<Config, 'redact'>) {
    this.#patterns = redact.map(parsePattern)
  }

  /** A value with its hidden parts masked. The paths begin at the value. */
  value(value: unknown): unknown {
    return this.#patterns.length === 0 ? value : mask(value, this.#patterns)
  }

  interrupt(interrupt: Interrupt): Interrupt {
    if (this.#patterns.length === 0) return interrupt
    const { changedFrom } = interrupt
    return {
      ...interrupt,
      payload: this.value(interrupt.payload),
      ...('default' in interrupt ? { default: this.value(interrupt.default) } : {}),
      ...('metadata' in interrupt ? { metadata: this.value(interrupt.metadata) } : {}),
      ...(changedFrom === undefined
        ? {}
        : { changedFrom: { ...changedFrom, payload: this.value(changedFrom.payload) } }),
    }
  }

  /** What has open questions, with these redacted. */
  withInterrupts<T extends { readonly interrupts: readonly Interrupt[] }>(holder: T): T {
    if (this.#patterns.length === 0) return holder
    return {
      ...holder,
      interrupts: holder.interrupts.map((interrupt) => this.interrupt(interrupt)),
    }
  }

  view(view: ThreadView): ThreadView {
    if (this.#patterns.length === 0) return view
    return {
      ...this.withInterrupts(view),
      input: this.value(view.input),
      state: this.record(view.state),
      ...('output' in view ? { output: this.value(view.output) } : {}),
      answered: view.answered.map((answered) => this.#answered(answered)),
    }
  }

  /** An object, its fields' names kept. */
  record(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const masked = this.value(values)
    return isRecord(masked) ? masked : {}
  }

  event(event: RunEvent): RunEvent {
    if (this.#patterns.length === 0) return event
    if (event.type === 'interrupt:open') {
      return { ...event, interrupt: this.interrupt(event.interrupt) }
    }
    if (event.type === 'tool:start') return { ...event, args: this.value(event.args) }
    if (event.type === 'tool:end') return { ...event, ...this.#field(event, 'result') }
    return 'value' in event ? { ...event, value: this.value(event.value) } : event
  }

  #field(holder: object, name: string): object {
    return name in holder ? { [name]: this.value(Reflect.get(holder, name)) } : {}
  }

  #answered(answered: AnsweredInterrupt): AnsweredInterrupt {
    return 'value' in answered ? { ...answered, value: this.value(answered.value) } : answered
  }
}

function parsePattern(text: string): Step[] {
  const parts = text.replaceAll(/\[([^\]]*)\]/gu, '.$1').split('.')
  return parts
    .filter((part) => part !== '')
    .map((part): Step => {
      if (part === '**') return { kind: 'any' }
      return part === '*' ? { kind: 'one' } : { kind: 'name', name: part }
    })
}

function mask(value: unknown, patterns: readonly (readonly Step[])[]): unknown {
  if (patterns.some((steps) => steps.every(({ kind }) => kind === 'any'))) return HIDDEN
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => maskIn(item, String(index), patterns))
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, maskIn(item, name, patterns)]),
  )
}

function maskIn(value: unknown, name: string, patterns: readonly (readonly Step[])[]): unknown {
  const left = patterns.flatMap((steps) => after(steps, name))
  return left.length === 0 ? value : mask(value, left)
}

/** What is left of a pattern after one step into `name`; nothing when it leads elsewhere. */
function after(steps: readonly Step[], name: string): (readonly Step[])[] {
  const [first, ...rest] = steps
  if (first === undefined) return []
  if (first.kind === 'any') return [steps, ...after(rest, name)]
  return first.kind === 'one' || first.name === name ? [rest] : []
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
