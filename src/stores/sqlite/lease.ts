import type { Holder } from '../../core/errors.ts'
import type { Claimant, Lease } from '../../core/store.ts'
import { livenessOf, processIdentity, type ProcessIdentity } from '../../system/process-identity.ts'
import { numberIn, optionalTextIn } from './column.ts'
import type { Row } from './driver.ts'

/** A lease as stored: it ends with its process, or when its time is over. */
export interface StoredLease {
  readonly owner: string
  readonly holder: Holder
  readonly process: ProcessIdentity
  readonly until: number
}

/** A lease may be longer than what a date can hold. */
const LAST_MS = 8_640_000_000_000_000

/** Makes this process the holder. */
export function newLease({ owner, holder, leaseMs }: Claimant, now: number): StoredLease {
  return { owner, holder, process: processIdentity(), until: leaseEnd(now, leaseMs) }
}

/** When a lease taken or extended now ends. */
export function leaseEnd(now: number, leaseMs: number): number {
  return Math.min(now + leaseMs, LAST_MS)
}

/** True while nobody else may have the thread. */
export function isInForce({ process, until }: StoredLease, now: number): boolean {
  return now < until && livenessOf(process) !== 'gone'
}

/** True when a person's demand may end it: nobody here can tell whether its holder lives. */
export function isForeign({ process }: StoredLease): boolean {
  return livenessOf(process) === 'foreign'
}

/** A lease as lists show it. */
export function leaseShown(lease: StoredLease | undefined, now: number): Lease | undefined {
  if (lease === undefined) return undefined
  const { owner, holder, until } = lease
  return { owner, holder, until: new Date(until).toISOString(), alive: isInForce(lease, now) }
}

/** The columns of a lease. */
export function leaseColumns(
  lease: StoredLease | undefined,
): readonly [lease: string | null, process: string | null, until: number | null] {
  if (lease === undefined) return [null, null, null]
  const { owner, holder, process, until } = lease
  return [JSON.stringify({ owner, holder }), JSON.stringify(process), until]
}

/** The lease in a row of a thread. */
export function leaseIn(row: Row): StoredLease | undefined {
  const lease = optionalTextIn(row, 'lease')
  if (lease === undefined) return undefined
  const { owner, holder } = JSON.parse(lease) as Pick<StoredLease, 'owner' | 'holder'>
  const process = processIn(optionalTextIn(row, 'lease_process') ?? '{}')
  return { owner, holder, process, until: numberIn(row, 'lease_until') }
}

/** A process as a row names it. */
export function processIn(text: string): ProcessIdentity {
  return JSON.parse(text) as ProcessIdentity
}
