import type { Choice } from '../../core/interrupt.ts'
import type { Option } from '../terminal/prompter.ts'
import { view } from './approval.ts'
import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { confirmed } from './confirmation.ts'
import { askCustom } from './custom.ts'
import { later, laterOption, leave, submit, untilOutcome, type Step } from './step.ts'
import { wording } from './wording.ts'

const VIEW: unique symbol = Symbol('view')

/** How many options are shown as a list; more are searched. */
export const MAX_LISTED = 12

type Picked = number | typeof LATER | typeof VIEW

/** Asks for one of the options: from a list, or by typing when there are many. */
export function askChoice(asking: Asking): Promise<InterruptOutcome> {
  const { choices = [] } = asking.interrupt
  if (choices.length === 0) return askCustom(asking)
  const isLong = choices.length > (asking.context.maxChoices ?? MAX_LISTED)
  const drawn = asking.draw(!isLong)
  return untilOutcome(drawn.lines, async (above) => {
    const asked = isLong
      ? await searchFor(asking, choices, above)
      : await selectFrom(asking, choices, { above, cut: drawn.cut })
    if (asked.kind !== 'answer') return leave(asking, asked)
    return decide(asking, choices, asked.value)
  })
}

function decide(asking: Asking, choices: readonly Choice[], picked: Picked): Promise<Step> | Step {
  if (picked === LATER) return later(asking)
  if (picked === VIEW) return view(asking)
  return confirmed(asking, () => submit(asking, choices[picked]?.value))
}

function selectFrom(
  asking: Asking,
  choices: readonly Choice[],
  { above, cut }: { readonly above: readonly string[]; readonly cut: boolean },
) {
  const seeAll: Option<Picked>[] = cut
    ? [{ value: VIEW, name: wording.approval.view, word: 'view' }]
    : []
  return asking.terminal.prompter.select<Picked>({
    ...asking.control,
    above,
    message: wording.choice.message,
    options: [...optionsOf(choices), ...seeAll, laterOption()],
    start: startOf(asking, choices),
  })
}

function searchFor(asking: Asking, choices: readonly Choice[], above: readonly string[]) {
  const message = `Search ${choices.length.toLocaleString('en')} options:`
  const options: Option<Picked>[] = optionsOf(choices)
  return asking.terminal.prompter.search<Picked>({ ...asking.control, above, message, options })
}

/** Places instead of values: two options may hold equal ones, and any value is possible. */
function optionsOf(choices: readonly Choice[]): Option<Picked>[] {
  return choices.map(({ name, description }, index) => ({
    value: index,
    name,
    ...(description === undefined ? {} : { description }),
  }))
}

function startOf({ interrupt, terminal }: Asking, choices: readonly Choice[]): Picked | undefined {
  const usual = choices.findIndex(({ value }) => value === interrupt.default)
  if (usual >= 0) return usual
  // At a line prompt, Enter alone takes the entry the cursor would stand on; that may not be the first.
  return terminal.plain ? LATER : undefined
}
