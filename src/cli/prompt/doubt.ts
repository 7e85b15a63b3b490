import type { Choice } from '../../core/interrupt.ts'
import { hasPayload } from '../render/question.ts'
import type { Option } from '../terminal/prompter.ts'
import { view } from './approval.ts'
import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { confirmed } from './confirmation.ts'
import { editJson } from './edit-json.ts'
import { later, laterOption, leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

const VIEW: unique symbol = Symbol('view')
const RESULT: unique symbol = Symbol('result')

type Picked = number | typeof LATER | typeof VIEW | typeof RESULT

/** Asks whether a step happened. The cursor stands on later: nothing is decided by Enter alone. */
export function askDoubt(asking: Asking): Promise<InterruptOutcome> {
  const { choices = [] } = asking.interrupt
  const drawn = asking.draw(true)
  const [happened, ...others] = choices.map((choice, index) => optionOf(choice, index))
  const canView = drawn.cut && hasPayload(asking.interrupt)
  const options: Option<Picked>[] = [
    ...(happened === undefined ? [] : [happened]),
    { value: RESULT, name: wording.doubt.withResult, word: 'result' },
    ...others,
    ...(canView ? [{ value: VIEW, name: wording.approval.view, word: 'view' } as const] : []),
    laterOption(),
  ]
  return untilOutcome(drawn.lines, async (above) => {
    const asked = await asking.terminal.prompter.select<Picked>({
      ...asking.control,
      above,
      message: wording.doubt.message,
      options,
      start: LATER,
    })
    if (asked.kind !== 'answer') return leave(asking, asked)
    return decide(asking, choices, asked.value)
  })
}

function optionOf({ value, name, description }: Choice, index: number): Option<Picked> {
  return {
    value: index,
    name,
    word: String(value),
    ...(description === undefined ? {} : { description }),
  }
}

function decide(asking: Asking, choices: readonly Choice[], picked: Picked): Promise<Step> | Step {
  if (picked === LATER) return later(asking)
  if (picked === VIEW) return view(asking)
  if (picked === RESULT) return withResult(asking)
  return confirmed(asking, () => submit(asking, choices[picked]?.value))
}

async function withResult(asking: Asking): Promise<Step> {
  const written = await editJson(asking, undefined)
  if (written.kind === 'nothing') return { kind: 'again', above: written.above }
  if (written.kind !== 'value') return leave(asking, written)
  const { value } = written
  return confirmed(asking, () => submit(asking, { happened: true, result: value }))
}
