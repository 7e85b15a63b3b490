import type { Interrupt } from '../../core/interrupt.ts'
import { askApproval } from './approval.ts'
import { Asking, type AskContext, type InterruptOutcome } from './asking.ts'
import { askBreakpoint } from './breakpoint.ts'
import { askChoice } from './choice.ts'
import { askCustom } from './custom.ts'
import { askDoubt } from './doubt.ts'
import { askForm } from './form.ts'
import { askInput } from './input.ts'

/**
 * Asks one question at the terminal, with the layout of its kind. A value is given only when the
 * question takes it; nothing that is typed by accident is an answer.
 */
export function askInterrupt(interrupt: Interrupt, context: AskContext): Promise<InterruptOutcome> {
  const asking = new Asking(interrupt, context)
  switch (interrupt.kind) {
    case 'approval':
      return askApproval(asking)
    case 'choice':
      return askChoice(asking)
    case 'input':
      return askInput(asking)
    case 'form':
      return askForm(asking)
    case 'custom':
      return interrupt.schema === undefined ? askCustom(asking) : askForm(asking)
    case 'doubt':
      return askDoubt(asking)
    case 'breakpoint':
      return askBreakpoint(asking)
    default:
      return interrupt.kind satisfies never
  }
}
