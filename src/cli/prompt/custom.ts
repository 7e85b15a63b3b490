import { hasPayload } from '../render/question.ts'
import type { Option } from '../terminal/prompter.ts'
import { view } from './approval.ts'
import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { confirmed } from './confirmation.ts'
import { editJson } from './edit-json.ts'
import { editText } from './edit-text.ts'
import { later, laterOption, leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

type Entry = 'approve' | 'text' | 'json' | 'view'

/** Asks a question that says nothing about its answer: yes, a text, or any JSON. */
export function askCustom(asking: Asking): Promise<InterruptOutcome> {
  const drawn = asking.draw(true)
  const { text, json, message } = wording.custom
  const canView = drawn.cut || hasPayload(asking.interrupt)
  const options: Option<Entry | typeof LATER>[] = [
    { value: 'approve', name: wording.approval.approve, word: 'approve' },
    { value: 'text', name: text, word: 'text' },
    { value: 'json', name: json, word: 'json' },
    ...(canView ? [{ value: 'view' as const, name: wording.approval.view, word: 'view' }] : []),
    laterOption(),
  ]
  return untilOutcome(drawn.lines, async (above) => {
    const asked = await asking.terminal.prompter.select<Entry | typeof LATER>({
      ...asking.control,
      above,
      message,
      options,
      start: LATER,
    })
    if (asked.kind !== 'answer') return leave(asking, asked)
    return asked.value === LATER ? later(asking) : decide(asking, asked.value)
  })
}

function decide(asking: Asking, entry: Entry): Promise<Step> {
  switch (entry) {
    case 'approve':
      return confirmed(asking, () => submit(asking, true))
    case 'text':
      return answerWithText(asking)
    case 'json':
      return answerWithJson(asking)
    case 'view':
      return view(asking)
    default:
      return entry satisfies never
  }
}

async function answerWithText(asking: Asking): Promise<Step> {
  const { message, editorHelp, nothingChanged } = wording.input
  const asked = await asking.terminal.prompter.input({ ...asking.control, message })
  if (asked.kind !== 'answer') return leave(asking, asked)
  if (asked.value !== '') return submit(asking, asked.value)
  const written = await editText(asking, { text: '', help: editorHelp, extension: 'md' })
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  if (written.kind !== 'text') return leave(asking, written)
  if (written.text.trim() === '') return { kind: 'again', above: [nothingChanged] }
  return submit(asking, written.text)
}

async function answerWithJson(asking: Asking): Promise<Step> {
  const written = await editJson(asking, undefined)
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  return written.kind === 'value' ? submit(asking, written.value) : leave(asking, written)
}
