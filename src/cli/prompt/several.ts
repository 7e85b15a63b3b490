import type { Interrupt } from '../../core/interrupt.ts'
import { placeOf } from '../render/interrupt-name.ts'
import { openLines, renderOpenList } from '../render/open-list.ts'
import { viewOf } from '../render/view.ts'
import type { Control, Option } from '../terminal/prompter.ts'
import { oneLine } from '../terminal/safe.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { LATER } from './asking.ts'
import { shortThreadId } from './confirmation.ts'
import { laterOption, type Unanswered } from './step.ts'
import { wording } from './wording.ts'

/** What to do with several open questions. */
export type Plan =
  | { readonly kind: 'each' }
  | { readonly kind: 'one'; readonly interrupt: Interrupt }
  | { readonly kind: 'approve'; readonly interrupts: readonly Interrupt[] }
  | Unanswered

/** Several open questions of one thread. */
export interface Several {
  readonly terminal: Terminal
  readonly flow: string
  readonly open: readonly Interrupt[]
  readonly control: Control
}

type Entry = 'each' | 'pick' | 'approve' | typeof LATER

const { several: words } = wording

/** Shows what is open and asks where to begin. */
export async function planSeveral(several: Several): Promise<Plan> {
  const { terminal, open, control } = several
  const approvals = open.filter(isPlainApproval)
  const above = headOf(several)
  const options: Option<Entry>[] = [
    { value: 'each', name: words.each, word: 'each' },
    { value: 'pick', name: words.pick, word: 'pick' },
    ...(approvals.length < 2 ? [] : [approveOption(approvals.length)]),
    laterOption(),
  ]
  for (;;) {
    const question = { ...control, above, message: words.message, options, start: 'each' as const }
    const asked = await terminal.prompter.select<Entry>(question)
    if (asked.kind !== 'answer') return asked
    if (asked.value === LATER) return { kind: 'deferred', via: 'choice' }
    if (asked.value === 'each') return { kind: 'each' }
    const plan =
      asked.value === 'pick' ? await pickOne(several) : await approveAll(several, approvals)
    if (plan !== undefined) return plan
  }
}

async function pickOne({ terminal, open, control }: Several): Promise<Plan | undefined> {
  const options: Option<Interrupt | undefined>[] = [
    ...open.map((interrupt, index) => ({
      value: interrupt,
      name: `${interrupt.kind}  ${placeOf(interrupt)}  ${oneLine(interrupt.message)}`,
      word: String(index + 1),
    })),
    { value: undefined, name: words.back, word: 'back' },
  ]
  const asked = await terminal.prompter.select({ ...control, message: words.pickMessage, options })
  if (asked.kind !== 'answer') return asked
  return asked.value === undefined ? undefined : { kind: 'one', interrupt: asked.value }
}

/** Asks once more, with the list of what a yes covers. */
async function approveAll(
  { terminal, control }: Several,
  interrupts: readonly Interrupt[],
): Promise<Plan | undefined> {
  const options = [
    { value: true, name: approveOption(interrupts.length).name, word: 'approve' },
    { value: false, name: words.back, word: 'back' },
  ]
  const asked = await terminal.prompter.select({
    ...control,
    above: openLines(interrupts, viewOf(terminal)),
    message: words.approveMessage,
    options,
    start: false,
  })
  if (asked.kind !== 'answer') return asked
  return asked.value ? { kind: 'approve', interrupts } : undefined
}

function headOf({ terminal, flow, open }: Several): string[] {
  const thread = shortThreadId(open[0]?.threadId ?? '')
  return renderOpenList(open, { flow, thread }, viewOf(terminal))
}

function approveOption(count: number): { value: 'approve'; name: string; word: string } {
  return { value: 'approve', name: `Approve the ${count} approvals`, word: 'approve' }
}

/** What may be approved together with others: never what is dangerous. */
function isPlainApproval({ kind, danger }: Interrupt): boolean {
  return kind === 'approval' && danger !== true
}
