import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Which process this is, so exactly that a reused pid, a restarted machine or another container is
 * never taken for it. The fields that come from /proc are empty where there is none.
 */
export interface ProcessIdentity {
  readonly host: string
  /** Differs after every start of the machine. */
  readonly boot: string
  /** Inside another namespace the same number is another process. */
  readonly pidNamespace: string
  readonly pid: number
  /** Start time in clock ticks since boot. */
  readonly start: string
}

/** `foreign`: on another host, boot or container, so nobody here can tell whether it lives. */
export type Liveness = 'alive' | 'gone' | 'foreign'

let own: ProcessIdentity | undefined

/** The identity of this process; read once, and again in a forked copy. */
export function processIdentity(): ProcessIdentity {
  if (own?.pid === process.pid) return own
  own = {
    host: hostname(),
    boot: textOf('/proc/sys/kernel/random/boot_id'),
    pidNamespace: linkOf('/proc/self/ns/pid'),
    pid: process.pid,
    start: processState(process.pid)?.start ?? '',
  }
  return own
}

/** Tells whether the process of `identity` still runs. In doubt it is `alive` or `foreign`, never `gone`. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const here = processIdentity()
  const isHere =
    identity.host === here.host &&
    identity.boot === here.boot &&
    identity.pidNamespace === here.pidNamespace
  if (!isHere) return 'foreign'
  if (identity.pid === here.pid) return sameStart(identity.start, here.start) ? 'alive' : 'gone'
  return neighbourLiveness(identity)
}

function neighbourLiveness({ pid, start }: ProcessIdentity): Liveness {
  if (!answersSignal(pid)) return 'gone'
  const state = processState(pid)
  // /proc may hide the processes of other users; one that takes a signal is there all the same.
  if (state === undefined) return 'alive'
  return state.ended || !sameStart(start, state.start) ? 'gone' : 'alive'
}

function sameStart(stored: string, seen: string): boolean {
  return stored === '' || seen === '' || stored === seen
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Reads /proc/<pid>/stat; a zombie has ended, only its parent has not looked yet. */
function processState(
  pid: number,
): { readonly start: string; readonly ended: boolean } | undefined {
  const text = textOf(`/proc/${pid}/stat`)
  if (text === '') return undefined
  // The name in parentheses may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = ''] = fields
  return { start: fields[19] ?? '', ended: state === 'Z' || state === 'X' }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
