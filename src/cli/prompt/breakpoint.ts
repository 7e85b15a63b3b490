import { LATER, type Asking, type InterruptOutcome } from './asking.ts'
import { later, laterOption, leave, untilOutcome } from './step.ts'
import { wording } from './wording.ts'

/** Asks whether to go on where a breakpoint stopped. It takes no value. */
export function askBreakpoint(asking: Asking): Promise<InterruptOutcome> {
  const { message, continue: name } = wording.breakpoint
  const options = [{ value: true as const, name, word: 'continue' }, laterOption()]
  return untilOutcome(asking.draw(false).lines, async (above) => {
    const asked = await asking.terminal.prompter.select<true | typeof LATER>({
      ...asking.control,
      above,
      message,
      options,
      start: LATER,
    })
    if (asked.kind !== 'answer') return leave(asking, asked)
    return asked.value === LATER ? later(asking) : { kind: 'answer', value: true, via: 'prompt' }
  })
}
