// Loading what was recorded and saying what goes on, by hand: for components that run others, and for
// component code outside of a flow. Inside a flow a runner does both.

import type { Address } from '../core/address.ts'
import { HexagonError, UnknownInterruptError } from '../core/errors.ts'
import { seal } from '../core/seal.ts'
import { ambientScope, runLocally } from './ambient.ts'
import { currentScope } from './carrier.ts'
import { infoOf } from './component-scope.ts'
import type { Target } from './resume-info.ts'

/** Values by interrupt id. */
export type ResumeData = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/**
 * Loads recorded interrupts: scopes that are entered from now on are handed what was kept at their
 * address. May be called again with more, before or after targets are named.
 */
export function populateResumeInfo(
  id2Addr: Readonly<Record<string, Address>> | ReadonlyMap<string, Address>,
  id2State: ResumeData = {},
): void {
  const info = infoOf(ambientScope())
  const states = mapOf(id2State)
  for (const [id, address] of mapOf(id2Addr)) {
    expectId(id)
    const state = states.get(id) ?? undefined
    info.load({
      id,
      kind: 'loaded',
      address: address.map((segment) => ({ ...segment })),
      state: state === undefined ? undefined : { value: seal(state, 'state') },
    })
  }
}

/** Lets interrupts go on without giving them anything. */
export function resume(...ids: readonly string[]): void {
  for (const id of ids) aim(id, {})
}

/** Lets an interrupt go on with `data`; `false`, `0`, `''` and `null` are data. */
export function resumeWithData(id: string, data: unknown): void {
  aim(id, { data: { value: seal(data, 'data') } })
}

/** {@link resumeWithData} for several. */
export function batchResumeWithData(data: ResumeData): void {
  for (const [id, value] of mapOf(data)) resumeWithData(id, value)
}

/**
 * Ids of the segments that follow the current address on the way to recorded interrupts.
 * @throws HexagonError (E2130) when nothing was loaded and no flow runs
 */
export function getNextResumptionPoints(): ReadonlySet<string> {
  const scope = currentScope()
  const next = scope === undefined ? undefined : infoOf(scope).next(scope.address)
  if (next !== undefined) return next
  if (scope !== undefined && scope.unaskable !== 'outside a flow') return new Set()
  throw new HexagonError('E2130', 'No recorded interrupts are loaded here', {
    hint: 'Call populateResumeInfo() first, or call this inside a flow.',
  })
}

/** Runs `body` outside every flow with a registry of its own: what is loaded and named in it stays in it. */
export function withResumeInfo<T>(body: () => T): T {
  return runLocally(body)
}

function aim(id: string, target: Target): void {
  expectId(id)
  infoOf(ambientScope()).target(id, target)
}

function expectId(id: string): void {
  if (id === '') throw new UnknownInterruptError(id, [])
}

function mapOf<T>(
  given: Readonly<Record<string, T>> | ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  return given instanceof Map ? given : new Map(Object.entries(given))
}
