import { formatAddress, formatSegment } from '../../core/address.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine } from '../terminal/safe.ts'

/** Where a question stands: `node:review`, `node:tools/tool:pay:call_1`; its key where no node is. */
export function placeOf({ address, key }: Pick<Interrupt, 'address' | 'key'>): string {
  return oneLine(address.length === 0 ? key : formatAddress(address, '/'))
}

/** The innermost part of {@link placeOf}. */
export function shortPlaceOf(interrupt: Pick<Interrupt, 'address' | 'key'>): string {
  const last = interrupt.address.at(-1)
  return last === undefined ? placeOf(interrupt) : oneLine(formatSegment(last))
}

/** What is wanted, as part of a sentence: `an approval`, `a choice`. */
export function wantedOf({ kind }: Pick<Interrupt, 'kind'>): string {
  switch (kind) {
    case 'approval':
      return 'an approval'
    case 'choice':
      return 'a choice'
    case 'input':
      return 'an input'
    case 'form':
      return 'a form'
    case 'doubt':
      return 'whether it happened'
    case 'custom':
      return 'an answer'
    case 'breakpoint':
      return 'a breakpoint'
    default:
      return kind satisfies never
  }
}
