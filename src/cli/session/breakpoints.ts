import type { BreakpointNames } from '../../runner/breakpoints.ts'
import type { OptionValues } from '../option-values.ts'

/** The stops a command line names; those it does not name stay as the thread remembers them. */
export function breakpointsOf(options: OptionValues): BreakpointNames {
  if (options.off('breaks')) return { breakBefore: [], breakAfter: [] }
  return {
    breakBefore: namesOf(options.list('breakBefore')),
    breakAfter: namesOf(options.list('breakAfter')),
  }
}

function namesOf(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names
}
