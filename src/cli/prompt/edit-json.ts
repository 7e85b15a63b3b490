import { prettyJson } from '../render/json.ts'
import type { Left, Elsewhere } from '../terminal/asked.ts'
import { safe } from '../terminal/safe.ts'
import type { Asking } from './asking.ts'
import { editText } from './edit-text.ts'
import { parseJson } from './json-text.ts'
import { wording } from './wording.ts'

/** A value written as JSON in an editor; `nothing` when it was given up, with the lines that say so. */
export type WrittenJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'nothing'; readonly above: readonly string[] }
  | Left
  | Elsewhere

/** Opens a value as JSON; what is not JSON is opened again, as it was left, if the person wants. */
export async function editJson(asking: Asking, start: unknown): Promise<WrittenJson> {
  let text = start === undefined ? '' : `${prettyJson(start)}\n`
  for (;;) {
    const written = await editText(asking, { text, extension: 'json' })
    if (written.kind !== 'text') return written
    if (written.text.trim() === '')
      return { kind: 'nothing', above: [wording.input.nothingChanged] }
    const parsed = parseJson(written.text)
    if (parsed.ok) return { kind: 'value', value: parsed.value }
    text = written.text
    const again = await askAgain(asking, parsed.problem)
    if (again.kind !== 'again') return again
  }
}

async function askAgain(
  asking: Asking,
  problem: string,
): Promise<{ readonly kind: 'again' } | Exclude<WrittenJson, { readonly kind: 'value' }>> {
  const { paint, symbols } = asking.view
  const asked = await asking.terminal.prompter.select({
    ...asking.control,
    above: [paint.red(`${symbols.fail} ${safe(problem)}`)],
    message: wording.json.message,
    options: [
      { value: true, name: wording.json.again, word: 'again' },
      { value: false, name: wording.json.giveUp, word: 'back' },
    ],
  })
  if (asked.kind === 'back') return { kind: 'nothing', above: [wording.input.nothingChanged] }
  if (asked.kind !== 'answer') return asked
  return asked.value
    ? { kind: 'again' }
    : { kind: 'nothing', above: [wording.input.nothingChanged] }
}
