import { formatSegment, type AddressSegment } from '../core/address.ts'
import { NoScopeError } from '../core/errors.ts'
import type { RunEventBody } from '../core/event.ts'
import { copyOf } from '../core/seal.ts'
import { currentScope } from './carrier.ts'
import { enterBelow, runComponent } from './component-scope.ts'
import type { TaskScope } from './engine.ts'
import { remember } from './step-call.ts'

/** What a remembered call is told. */
export interface CallInfo {
  /** The same on every try of this call, in every process. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** Tells the run's readers something, at the address of the call. */
  emit(body: RunEventBody): void
}

/**
 * Runs `body` as a component one level down. Its result is saved before it is given, and given again when
 * the task is entered again; a call that asks, or fails, runs again.
 */
export async function rememberedCall<T>(
  added: AddressSegment,
  body: (info: CallInfo) => T | Promise<T>,
): Promise<T> {
  const outer = currentScope()
  if (outer === undefined || outer.unaskable !== undefined)
    throw new NoScopeError(formatSegment(added), outer?.unaskable ?? 'outside a flow')
  const { frame } = outer
  frame.guard()
  const scope = enterBelow(outer, added, true)
  const memo = frame.memo.get(scope.path)
  if (memo?.kind === 'step') return copyOf(memo.value) as T
  frame.begin()
  try {
    const value = await runComponent(scope, async () => body(infoOf(scope)))
    await remember(frame, { path: scope.path, name: formatSegment(added), value })
    return value
  } finally {
    frame.done()
  }
}

function infoOf({ frame, path, address }: TaskScope): CallInfo {
  return {
    idempotencyKey: `${frame.run.threadId}/${frame.id}/${path}`,
    signal: frame.signal,
    emit: (body) => frame.run.emit(address, body),
  }
}
