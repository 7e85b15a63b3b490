// Component code also runs where no flow does: in its own tests, in scripts. There it gets a local scope,
// at the empty address, where nobody can be asked.

import { currentScope, enterScope, runInScope } from './carrier.ts'
import type { TaskScope } from './engine.ts'
import { Frame } from './frame.ts'
import { localRun } from './local-run.ts'
import { Scope } from './scope.ts'

/** A scope outside every flow. */
export function localScope(): TaskScope {
  const frame = new Frame(localRun({}), { id: '', address: [] })
  return new Scope(frame, [], { unaskable: 'outside a flow' })
}

/** The current scope; outside of any, one for the rest of this asynchronous context. */
export function ambientScope(): TaskScope {
  const scope = currentScope()
  if (scope !== undefined) return scope
  const made = localScope()
  enterScope(made)
  return made
}

/** Runs `body` outside every flow, in a local scope of its own. */
export function runLocally<T>(body: () => T): T {
  return runInScope(localScope(), body)
}
