import { appendSegment, segment, segmentKey } from '../core/address.ts'
import { NoScopeError } from '../core/errors.ts'
import { currentScope } from '../runtime/carrier.ts'
import { invokedId } from '../runtime/restored.ts'
import { Scope } from '../runtime/scope.ts'
import { createSignal, takeApart } from '../runtime/signal.ts'
import type { GraphDefinition } from './definition.ts'
import { GraphRun } from './graph-run.ts'
import { outputOf } from './output.ts'

/** Runs a graph inside a task, below the current scope; gives its output. */
export async function invokeInside(
  definition: GraphDefinition,
  input: unknown,
  what: string,
): Promise<unknown> {
  const scope = currentScope()
  if (scope === undefined || scope.unaskable !== undefined)
    throw new NoScopeError(what, scope?.unaskable ?? 'outside a flow')
  const { frame } = scope
  frame.guard()
  // The process is about to rest: what comes behind a call that was unwound does not begin any more.
  if (frame.unwound && frame.status === 'parked')
    throw createSignal({ id: '', address: scope.address, info: undefined })
  const added = segment('runnable', definition.name)
  const path = scope.place(segmentKey(added))
  const base = appendSegment(scope.address, added)
  const run = GraphRun.obtain({
    host: {
      run: frame.run,
      frame,
      scope: new Scope(frame, base, { unaskable: 'in a reducer' }),
      gid: invokedId(frame.id, path),
      base,
      // The call itself is one of the things that go on in the task.
      depth: scope.steps + 1,
    },
    definition,
    input,
    passOn: [],
  })
  frame.begin()
  try {
    await run.execute()
    return await outputOf(run.instance)
  } catch (error) {
    const { signals, ordinary } = takeApart(error)
    if (signals.length > 0 && !ordinary) frame.leave(scope.path)
    throw error
  } finally {
    frame.done()
  }
}
