// A terminal that answers by a script and remembers what was written to it.

import { elsewhere } from '../../src/cli/prompt/exits.ts'
import type { Asked } from '../../src/cli/terminal/asked.ts'
import { plainPaint } from '../../src/cli/terminal/color.ts'
import type { Edited, EditRequest } from '../../src/cli/terminal/editor.ts'
import type { WhyNot } from '../../src/cli/terminal/interactivity.ts'
import { LogGate } from '../../src/cli/terminal/log-gate.ts'
import type {
  CheckboxQuestion,
  InputQuestion,
  Option,
  Prompter,
  Question,
  SelectQuestion,
} from '../../src/cli/terminal/prompter.ts'
import { symbolSets } from '../../src/cli/terminal/symbols.ts'
import type { Terminal } from '../../src/cli/terminal/terminal.ts'
import { createTurn } from '../../src/cli/terminal/turn.ts'

/** What the person does at one prompt. */
export type Reply =
  /** Takes the entry whose name or word this is. */
  | { readonly pick: string }
  /** Takes these entries. */
  | { readonly check: readonly string[] }
  /** Types a line and sends it; a refused line is followed by the next reply. */
  | { readonly type: string }
  /** Enter alone: the entry the cursor stands on, or the line as it is. */
  | 'enter'
  | 'esc'
  | 'ctrl-d'
  | 'ctrl-c'
  | 'back'
  | 'sigterm'

/** A question as the script met it. */
export interface Met {
  readonly kind: 'select' | 'search' | 'checkbox' | 'input' | 'password'
  readonly message: string
  readonly names: readonly string[]
  /** What a validator said to the reply before. */
  readonly refused: readonly string[]
}

/** How the fake is. */
export interface FakeOptions {
  readonly replies?: readonly Reply[]
  readonly edits?: readonly (Edited | string)[]
  readonly interactive?: boolean
  readonly whyNot?: WhyNot
  readonly columns?: number
  readonly rows?: number
  readonly isTTY?: boolean
  readonly plain?: boolean
}

/** A {@link Terminal} for tests. */
export interface FakeTerminal extends Terminal {
  /** Everything written to stdout. */
  readonly written: string
  /** Everything written to stderr, a line each; prompts' lines among them. */
  readonly lines: readonly string[]
  readonly announced: readonly string[]
  readonly paged: readonly string[]
  readonly edited: readonly EditRequest[]
  readonly met: readonly Met[]
  /** Replies that nothing asked for. */
  readonly unused: number
}

const defaults = {
  interactive: true,
  whyNot: 'stdin',
  plain: false,
  isTTY: true,
  columns: 80,
  rows: 24,
  replies: [],
  edits: [],
} as const satisfies FakeOptions

/** Makes a terminal whose person does what `replies` says, in order. */
export function fakeTerminal(options: FakeOptions = {}): FakeTerminal {
  const { interactive, plain, whyNot, columns, rows, isTTY, replies, edits } = {
    ...defaults,
    ...options,
  }
  const screen = { isTTY, columns, rows, paint: plainPaint }
  const lines: string[] = []
  const announced: string[] = []
  const paged: string[] = []
  const edited: EditRequest[] = []
  const saved = [...edits]
  const script = new Script(replies, lines)
  let written = ''
  const logs = new LogGate()
  return {
    out: screen,
    err: screen,
    symbols: symbolSets.unicode,
    plain,
    interactive,
    whyNot: interactive ? undefined : whyNot,
    prompter: script,
    logs,
    exclusive: createTurn(),
    stdoutClosed: false,
    lines,
    announced,
    paged,
    edited,
    stdout: (text) => void (written += text),
    stderr: (line) => logs.pass(() => lines.push(...line.split('\n'))),
    announce: (line) => void announced.push(line),
    status: () => undefined,
    close: () => undefined,
    page: async (text) => void paged.push(text),
    edit: async (request) => {
      edited.push(request)
      const next = saved.shift() ?? { kind: 'cancelled' }
      return typeof next === 'string' ? { kind: 'saved', text: next } : next
    },
    get written() {
      return written
    },
    get met() {
      return script.met
    },
    get unused() {
      return script.unused
    },
  }
}

class Script implements Prompter {
  readonly met: Met[] = []
  readonly #replies: Reply[]
  readonly #lines: string[]

  constructor(replies: readonly Reply[], lines: string[]) {
    this.#replies = [...replies]
    this.#lines = lines
  }

  get unused(): number {
    return this.#replies.length
  }

  async select<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    return this.#choose('select', question)
  }

  async search<T>(question: SelectQuestion<T>): Promise<Asked<T>> {
    return this.#choose('search', question)
  }

  async checkbox<T>(question: CheckboxQuestion<T>): Promise<Asked<readonly T[]>> {
    const { options, checked = [], validate } = question
    return this.#answer('checkbox', { question, options }, async (reply) => {
      const values =
        typeof reply === 'object' && 'check' in reply
          ? reply.check.map((name) => optionNamed(options, name).value)
          : checked
      return verdictOf(values, await validate?.(values))
    })
  }

  async input(question: InputQuestion): Promise<Asked<string>> {
    return this.#line('input', question)
  }

  async password(question: InputQuestion): Promise<Asked<string>> {
    return this.#line('password', question)
  }

  show(lines: readonly string[]): void {
    this.#lines.push(...lines)
  }

  retract(lines: number): void {
    if (lines > 0) this.#lines.splice(-lines)
  }

  #choose<T>(kind: 'select' | 'search', question: SelectQuestion<T>): Promise<Asked<T>> {
    const { options, start } = question
    return this.#answer(kind, { question, options }, async (reply) => {
      if (typeof reply === 'object' && 'pick' in reply) return optionNamed(options, reply.pick)
      const usual = options.find(({ value }) => value === start) ?? options[0]
      if (reply !== 'enter' || usual === undefined)
        throw new Error(`A ${kind} can't take ${describeReply(reply)}`)
      return usual
    })
  }

  #line(kind: 'input' | 'password', question: InputQuestion): Promise<Asked<string>> {
    return this.#answer(kind, { question, options: [] }, async (reply) => {
      const line =
        typeof reply === 'object' && 'type' in reply ? reply.type : (question.prefill ?? '')
      return verdictOf(line, await question.validate?.(line))
    })
  }

  async #answer<T>(
    kind: Met['kind'],
    asked: { readonly question: Question; readonly options: readonly Option<unknown>[] },
    take: (reply: Reply) => Promise<{ readonly value: T } | { readonly refused: string }>,
  ): Promise<Asked<T>> {
    const { message, above = [], back, signal } = asked.question
    if (signal?.aborted === true) return elsewhere(signal)
    const refused: string[] = []
    this.#lines.push(...above)
    this.met.push({ kind, message, names: asked.options.map(({ name }) => name), refused })
    for (;;) {
      const reply = this.#replies.shift()
      if (reply === undefined) throw new Error(`Nothing in the script answers "${message}"`)
      const exit = exitOf(reply, back === true)
      if (exit !== undefined) return exit
      const taken = await take(reply)
      if ('value' in taken) return { kind: 'answer', value: taken.value }
      refused.push(taken.refused)
    }
  }
}

function exitOf(
  reply: Reply,
  back: boolean,
): Exclude<Asked<never>, { readonly kind: 'answer' }> | undefined {
  if (reply === 'esc' || reply === 'ctrl-d') return { kind: 'deferred', via: reply }
  if (reply === 'ctrl-c') return { kind: 'interrupted' }
  if (reply === 'sigterm') return { kind: 'stopped', signal: 'SIGTERM' }
  return reply === 'back' && back ? { kind: 'back' } : undefined
}

function verdictOf<T>(
  value: T,
  verdict: true | string | undefined,
): { value: T } | { refused: string } {
  return verdict === undefined || verdict === true ? { value } : { refused: verdict }
}

function optionNamed<T>(options: readonly Option<T>[], wanted: string): Option<T> {
  const found = options.find(({ name, word }) => name === wanted || word === wanted)
  if (found === undefined) {
    throw new Error(`No entry "${wanted}" among: ${options.map(({ name }) => name).join(', ')}`)
  }
  return found
}

function describeReply(reply: Reply): string {
  return typeof reply === 'string' ? reply : JSON.stringify(reply)
}
