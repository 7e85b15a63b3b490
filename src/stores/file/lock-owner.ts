import { statSync } from 'node:fs'

import type { Holder } from '../../core/errors.ts'
import type { Lease } from '../../core/store.ts'
import {
  livenessOf,
  processIdentity,
  type Liveness,
  type ProcessIdentity,
} from '../../system/process-identity.ts'
import { randomText } from '../../system/services.ts'
import { isObject } from './json-file.ts'
import { readOwnText } from './own-file.ts'

/** What a lock file says. */
export interface LockOwner extends ProcessIdentity {
  readonly owner: string
  readonly since: string
  /** Tells this lock from every other. */
  readonly nonce: string
}

/** Makes this process the owner of a lock. */
export function newOwner(owner: string, since: string): LockOwner {
  return { ...processIdentity(), owner, since, nonce: randomText(16) }
}

/** Reads a lock file; undefined when there is none. */
export function readOwner(path: string): LockOwner | undefined {
  try {
    const text = readOwnText(path)
    return text === undefined ? undefined : (ownerIn(text) ?? unreadable(path))
  } catch {
    return unreadable(path)
  }
}

/** Tells whether an owner still lives; one of another host, boot or container is `foreign`. */
export function ownerLiveness(owner: LockOwner): Liveness {
  return owner.host === '' ? 'foreign' : livenessOf(owner)
}

/** An owner as errors name it. */
export function holderOf({ pid, host, since }: LockOwner): Holder {
  return { pid, host, since }
}

/** A lock as lists show it. In doubt its owner is alive. */
export function leaseIn(owner: LockOwner): Lease {
  return {
    owner: owner.owner,
    holder: holderOf(owner),
    alive: ownerLiveness(owner) !== 'gone',
  }
}

function ownerIn(text: string): LockOwner | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || typeof value['pid'] !== 'number') return undefined
  const member = (key: string): string => (typeof value[key] === 'string' ? value[key] : '')
  return {
    pid: value['pid'],
    host: member('host'),
    boot: member('boot'),
    pidNamespace: member('pidNamespace'),
    start: member('start'),
    owner: member('owner'),
    since: member('since'),
    nonce: member('nonce'),
  }
}

/**
 * A lock is complete from its first moment, so that one that isn't was left by a power cut: by a machine
 * that is up again, or by another one. Nobody can tell, so it counts as foreign.
 */
function unreadable(path: string): LockOwner {
  const stats = statSync(path, { throwIfNoEntry: false })
  const since = new Date(stats?.mtimeMs ?? 0).toISOString()
  const nonce = `unreadable-${stats?.ino ?? 0}-${Math.trunc(stats?.mtimeMs ?? 0)}`
  return { host: '', boot: '', pidNamespace: '', pid: 0, start: '', owner: '', since, nonce }
}
