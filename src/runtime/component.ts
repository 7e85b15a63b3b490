// The signal layer: what component authors call to stop with a question and to keep their progress. It is
// another face of interrupt(): its questions are the same questions.

import { formatAddress, segment, type Address, type SegmentType } from '../core/address.ts'
import { NoScopeError, NoStoreError } from '../core/errors.ts'
import { seal } from '../core/seal.ts'
import { localScope } from './ambient.ts'
import { currentScope } from './carrier.ts'
import { enterBelow, enteredIn, runComponent } from './component-scope.ts'
import { CompositeError } from './composite-error.ts'
import type { TaskScope } from './engine.ts'
import { createSignal, takeApart, type InterruptSignal } from './signal.ts'

/** Makes the signal with which a component asks; throw it. @throws SerializationError for what can't be kept */
export function interruptSignal(info: unknown): InterruptSignal {
  return makeSignal(info, undefined, [])
}

/** {@link interruptSignal} that keeps `state` for the next entry; `undefined` and `null` keep nothing. */
export function statefulInterrupt(info: unknown, state: unknown): InterruptSignal {
  return makeSignal(info, state, [])
}

/**
 * Gathers what children threw into one signal to throw, with the component's own state. An ordinary error
 * among them is not covered up: then this is a {@link CompositeError} that carries the signal.
 */
export function compositeInterrupt(
  info: unknown,
  state: unknown,
  errors: readonly InterruptSignal[],
): InterruptSignal
export function compositeInterrupt(
  info: unknown,
  state: unknown,
  errors: readonly unknown[],
): InterruptSignal | CompositeError
export function compositeInterrupt(
  info: unknown,
  state: unknown,
  errors: readonly unknown[],
): InterruptSignal | CompositeError {
  const thrown = errors.filter((error) => error !== undefined && error !== null)
  const parts = thrown.map((error) => takeApart(error))
  const signals = [...new Set(parts.flatMap(({ signals: found }) => found))]
  const ordinary = thrown.filter((_, index) => parts[index]?.ordinary === true)
  if (ordinary.length > 0 && signals.length === 0) return new CompositeError(ordinary, undefined)
  const signal = makeSignal(info, state, signals)
  return ordinary.length === 0 ? signal : new CompositeError(ordinary, signal)
}

/** Runs `body` one level down; it is handed what is known of that place. */
// oxlint-disable-next-line max-params -- the order of the frameworks this call is known from
export function appendAddressSegment<T>(
  type: SegmentType,
  id: string,
  subId: string | undefined,
  body: () => T,
): T {
  const outer = currentScope() ?? localScope()
  outer.frame.guard()
  const scope = enterBelow(outer, segment(type, id, subId))
  return runComponent(scope, body)
}

/** Where the running component is; empty outside of any. */
export function getCurrentAddress(): Address {
  return currentScope()?.address ?? []
}

function makeSignal(
  info: unknown,
  state: unknown,
  subs: readonly InterruptSignal[],
): InterruptSignal {
  const scope = currentScope() ?? localScope()
  expectAskable(scope)
  const { frame, path, address } = scope
  return createSignal({
    id: idFor(scope, subs.length === 0) ?? frame.run.services.ids.interrupt(),
    address,
    info: seal(info, 'info'),
    subs,
    origin: { task: frame.id, place: path },
    ...(state === undefined || state === null ? {} : { state: { value: seal(state, 'state') } }),
  })
}

/** A question that is still open where it is raised again keeps its id. */
function idFor(scope: TaskScope, leaf: boolean): string | undefined {
  const { open } = enteredIn(scope)
  const index = open.findIndex(({ kind }) => kind === 'loaded' || (kind === 'leaf') === leaf)
  return index === -1 ? undefined : open.splice(index, 1)[0]?.id
}

function expectAskable({ frame, unaskable, address }: TaskScope): void {
  if (unaskable === 'outside a flow') return
  if (unaskable !== undefined) throw new NoScopeError('A signal', unaskable)
  frame.guard()
  if (frame.run.options.closed !== true) return
  throw new NoStoreError(`${formatAddress(address) || 'the flow'} asks: waiting for a person`)
}
