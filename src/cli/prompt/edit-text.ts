import type { Left } from '../terminal/asked.ts'
import type { Edited, EditRequest } from '../terminal/editor.ts'
import { oneLine } from '../terminal/safe.ts'
import type { Asking } from './asking.ts'
import { wording } from './wording.ts'

/** What an editor gave: a text, or nothing and the lines that say so, or the signal that ended it. */
export type Written =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nothing'; readonly above: readonly string[] }
  | Left

/** Lets the person write in an editor. Nothing but a saved file changes anything. */
export async function editText(asking: Asking, request: EditRequest): Promise<Written> {
  const edited = await asking.terminal.edit(request)
  if (edited.kind === 'saved') return { kind: 'text', text: edited.text }
  if (edited.kind === 'stopped') return edited
  const text = describe(edited)
  if (edited.kind === 'cancelled') return { kind: 'nothing', above: [asking.view.paint.dim(text)] }
  return { kind: 'nothing', above: asking.problemLines([{ path: '', message: text }]) }
}

function describe(edited: Exclude<Edited, { readonly kind: 'saved' | 'stopped' }>): string {
  if (edited.kind === 'cancelled') return wording.input.nothingChanged
  if (edited.kind === 'not-utf8') return wording.input.notUtf8
  const name = oneLine(edited.command)
  return `Cannot start your editor "${name}": not found. Set EDITOR, or use --text.  [E1411]`
}
