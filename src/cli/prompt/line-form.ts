import type { Verdict } from '../terminal/prompter.ts'
import { safe } from '../terminal/safe.ts'
import type { PromptContext } from './ask.ts'
import { ExitRequest } from './exits.ts'
import { readLine } from './read-line.ts'

/** What a typed line means: an answer, or that it is asked again, with what there is to say first. */
export type Reading<T> = { readonly value: T } | { readonly again: string | undefined }

/** A question that is answered with one line. */
export interface LineForm<T> {
  /** Printed once, above the line. */
  readonly list: readonly string[]
  /** Printed before each reading, without a line end. */
  readonly line: string
  read(text: string): Reading<T>
  readonly validate?: ((value: T) => Verdict) | undefined
  readonly hidden?: boolean
}

const ESC = '\u001b'

/** Prints the line and reads until what was typed is an answer. */
export async function askLines<T>(
  output: NodeJS.WritableStream,
  form: LineForm<T>,
  { input, signal }: Pick<PromptContext, 'input' | 'signal'>,
): Promise<T> {
  for (;;) {
    output.write(`${form.line} `)
    const text = await readLine({ input, signal, hidden: form.hidden === true }).catch(
      (error: unknown) => {
        // The line was not ended by the person; what comes next begins on its own.
        output.write('\n')
        throw error
      },
    )
    if (form.hidden === true) output.write('\n')
    if (text.includes(ESC)) throw new ExitRequest({ kind: 'deferred', via: 'esc' })
    const reading = form.read(text)
    const problem = 'again' in reading ? reading.again : await verdictOf(form, reading.value)
    if ('value' in reading && problem === undefined) return reading.value
    if (problem !== undefined) output.write(`${safe(problem)}\n`)
  }
}

async function verdictOf<T>(form: LineForm<T>, value: T): Promise<string | undefined> {
  const verdict = await (form.validate?.(value) ?? true)
  return verdict === true ? undefined : verdict
}
