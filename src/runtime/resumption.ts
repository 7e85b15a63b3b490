import { formatAddress } from '../core/address.ts'
import { decode, encode } from '../core/codec.ts'
import { HexagonError, InvalidAnswerError, type Problem } from '../core/errors.ts'
import type { JsonValue } from '../core/json.ts'
import { currentScope } from './carrier.ts'
import { enteredIn, infoOf } from './component-scope.ts'
import { checkExpected, type Expected, type Taken } from './expected.ts'
import type { Kept, Resumption } from './resume-info.ts'

/** What a component kept when it was interrupted. */
export interface InterruptState<T> {
  /** True where an interrupt was recorded, with or without state. */
  readonly wasInterrupted: boolean
  readonly hasState: boolean
  readonly state: T | undefined
}

/** What was given to a component to go on with. */
export interface ResumeContext<T> {
  /** True when this component, or one below it, is to go on. */
  readonly isResumeTarget: boolean
  readonly hasData: boolean
  readonly data: T | undefined
}

/** Why the component in the current scope runs. */
export function getResumption(): Resumption {
  const scope = currentScope()
  return scope === undefined ? { kind: 'fresh' } : enteredIn(scope).resumption
}

/**
 * What the component kept when it was interrupted; a copy of its own.
 * @throws HexagonError (E2132) when it is not what `expected` takes
 */
export function getInterruptState<T = unknown>(): InterruptState<T>
export function getInterruptState<E extends Expected>(expected: E): InterruptState<Taken<E>>
export function getInterruptState(expected?: Expected): InterruptState<unknown> {
  const resumption = getResumption()
  const kept = 'state' in resumption ? resumption.state : undefined
  const wasInterrupted =
    resumption.kind === 'passing' ? resumption.interrupted : resumption.kind !== 'fresh'
  if (kept === undefined) return { wasInterrupted, hasState: false, state: undefined }
  return { wasInterrupted, hasState: true, state: stateOf(kept, expected) }
}

/**
 * Whether the component is to go on, and with what.
 * @throws InvalidAnswerError when the data is not what `expected` takes: the question is open again
 */
export function getResumeContext<T = unknown>(): ResumeContext<T>
export function getResumeContext<E extends Expected>(expected: E): ResumeContext<Taken<E>>
export function getResumeContext(expected?: Expected): ResumeContext<unknown> {
  const resumption = getResumption()
  switch (resumption.kind) {
    case 'answered':
      return { isResumeTarget: true, hasData: true, data: dataOf(resumption.data, expected) }
    case 'continued':
    case 'passing':
      return { isResumeTarget: true, hasData: false, data: undefined }
    case 'fresh':
    case 'waiting':
      return { isResumeTarget: false, hasData: false, data: undefined }
  }
}

function stateOf({ value }: Kept, expected: Expected | undefined): unknown {
  const state = thawed(value)
  if (expected === undefined) return state
  const checked = checkExpected(expected, state)
  if (checked.ok) return checked.value
  throw new HexagonError(
    'E2132',
    `${hereText()}: the kept state is of no use: ${listOf(checked.problems)}`,
    {
      hint: 'The component has changed since it was interrupted: let it read what it kept then.',
      details: { problems: checked.problems },
    },
  )
}

function dataOf(value: unknown, expected: Expected | undefined): unknown {
  const data = thawed(value)
  if (expected === undefined) return data
  const checked = checkExpected(expected, data)
  if (checked.ok) return checked.value
  const scope = currentScope()
  const id = scope === undefined ? undefined : enteredIn(scope).answered
  const error = new InvalidAnswerError(
    'E1208',
    id === undefined ? hereText() : `Question "${id}" at ${hereText()}`,
    checked.problems,
    'The question is still open.',
  )
  if (scope !== undefined && id !== undefined) infoOf(scope).refuse(id, error)
  throw error
}

/** A copy that its reader may change. */
function thawed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return decode(JSON.parse(JSON.stringify(encode(value))) as JsonValue)
}

function hereText(): string {
  return formatAddress(currentScope()?.address ?? []) || 'the flow'
}

function listOf(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
}
