import { fullText, hasPayload } from '../render/question.ts'
import type { Option } from '../terminal/prompter.ts'
import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { confirmed } from './confirmation.ts'
import { editJson } from './edit-json.ts'
import { later, laterOption, leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

type Entry = 'approve' | 'reject' | 'reason' | 'edit' | 'view'

const { message, ...names } = wording.approval

/** Asks for a yes or a no. Enter alone decides nothing: the cursor stands on later. */
export function askApproval(asking: Asking): Promise<InterruptOutcome> {
  const drawn = asking.draw(true)
  const options = [...entries(asking, drawn.cut), laterOption()]
  const start: Entry | typeof LATER = asking.context.approvalStart === 'reject' ? 'reject' : LATER
  return untilOutcome(drawn.lines, async (above) => {
    const asked = await asking.terminal.prompter.select<Entry | typeof LATER>({
      ...asking.control,
      above,
      message,
      options,
      start,
    })
    if (asked.kind !== 'answer') return leave(asking, asked)
    return asked.value === LATER ? later(asking) : decide(asking, asked.value)
  })
}

/** Shows a question in the pager; it is asked again afterwards. */
export async function view(asking: Asking): Promise<Step> {
  await asking.terminal.page(fullText(asking.interrupt))
  return { kind: 'again', above: asking.draw(true).lines }
}

function entries({ interrupt }: Asking, cut: boolean): Option<Entry>[] {
  const { detail } = interrupt
  const canEdit = detail === true && hasPayload(interrupt)
  const canView = cut || hasPayload(interrupt)
  return [
    { value: 'approve', name: names.approve, word: 'approve' },
    { value: 'reject', name: names.reject, word: 'reject' },
    { value: 'reason', name: names.rejectWithReason, word: 'reject with a reason' },
    ...(canEdit ? [{ value: 'edit' as const, name: names.edit, word: 'edit' }] : []),
    ...(canView ? [{ value: 'view' as const, name: names.view, word: 'view' }] : []),
  ]
}

function decide(asking: Asking, entry: Entry): Promise<Step> {
  switch (entry) {
    case 'approve':
      return confirmed(asking, () => answer(asking, { approved: true }))
    case 'reject':
      return answer(asking, { approved: false })
    case 'reason':
      return rejectWithReason(asking)
    case 'edit':
      return confirmed(asking, () => approveEdited(asking))
    case 'view':
      return view(asking)
    default:
      return entry satisfies never
  }
}

async function rejectWithReason(asking: Asking): Promise<Step> {
  const { prompter } = asking.terminal
  const asked = await prompter.input({ ...asking.control, message: names.reason })
  if (asked.kind !== 'answer') return leave(asking, asked)
  return answer(asking, { approved: false, reason: asked.value.trim() })
}

async function approveEdited(asking: Asking): Promise<Step> {
  const written = await editJson(asking, editable(asking.interrupt.payload))
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  if (written.kind !== 'value') return leave(asking, written)
  return answer(asking, { approved: true, edited: written.value })
}

interface Decision {
  readonly approved: boolean
  readonly reason?: string
  readonly edited?: unknown
}

/** With `detail` everything is in the value; without, the value is a boolean and the reason goes beside it. */
function answer(asking: Asking, { approved, reason = '', ...rest }: Decision): Promise<Step> {
  if (asking.interrupt.detail !== true) return submit(asking, approved, reason)
  const why = reason === '' ? {} : { reason }
  return submit(asking, { approved, ...why, ...rest }, reason)
}

/** What of a payload is changed: a tool call's arguments, or all of it. */
function editable(payload: unknown): unknown {
  const isCall = typeof payload === 'object' && payload !== null && 'args' in payload
  return isCall ? payload.args : payload
}
