import { runInScope } from '../runtime/carrier.ts'
import { Scope } from '../runtime/scope.ts'
import { readable } from './graph-state.ts'
import type { Instance } from './instance.ts'

/** What a finished graph gives: `output(state)`, or its state. */
export function outputOf({ definition, state, host }: Instance): unknown {
  const final = readable(state.current)
  const { output } = definition
  if (output === undefined) return final
  const scope = new Scope(host.frame, host.base, { unaskable: 'in an output function' })
  return runInScope(scope, () => output(final as never))
}
