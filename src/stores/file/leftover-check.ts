// What ended processes and cut-off deletions leave behind, and what doesn't belong in a store.

import { readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { Finding } from './finding.ts'
import { isAbandoned } from './folder.ts'
import { mayExist } from './holding.ts'
import { moveAway } from './kept-copy.ts'
import { nameBefore } from './layout.ts'
import { ownerLiveness, readOwner, type LockOwner } from './lock-owner.ts'
import { unlessMissing } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'
import { isRun, phantomFindings, withThread } from './thread-check.ts'

const PARTS = ['.json', '.log', '.inbox'] as const
/** A lock, a mutex, or the right to replace one. */
const LOCK = /^(.+)\.(lock|mutex)(\.(?:[a-z0-9]{16}|unreadable-[\d-]+))?$/u

/** Everything beside the threads themselves. */
export function checkLeftovers(around: Surroundings): Finding[] {
  const { layout } = around
  return [
    ...namesIn(layout.threads).flatMap((name) => checkOpenFile(around, name)),
    ...namesIn(layout.done).flatMap((name) => foreignIn(layout.done, name)),
    ...namesIn(layout.waiting).flatMap((name) => checkDescriptor(around, name)),
    ...namesIn(layout.history).flatMap((name) => checkHistory(around, name)),
    ...namesIn(layout.temp).flatMap((name) => checkTemp(layout.temp, name)),
  ]
}

function namesIn(folder: string): string[] {
  return (unlessMissing(() => readdirSync(folder)) ?? []).toSorted()
}

function checkOpenFile(around: Surroundings, name: string): Finding[] {
  const { layout } = around
  const orphan = nameBefore(name, '.inbox')
  if (orphan !== undefined) {
    const files = layout.filesNamed(orphan)
    if (mayExist(files) || isRun(files)) return []
    return [orphanFinding(around, files.inbox, 'holds answers to a thread that is not there')]
  }
  if (PARTS.some((part) => name.endsWith(part))) return []
  const [, thread, kind] = LOCK.exec(name) ?? []
  if (thread === undefined || kind === undefined) return foreignIn(layout.threads, name)
  return lockFindings(around, { name, thread })
}

function lockFindings(
  around: Surroundings,
  { name, thread }: { readonly name: string; readonly thread: string },
): Finding[] {
  const file = join(around.layout.threads, name)
  const owner = readOwner(file)
  if (owner === undefined) return []
  const isLock = name === `${thread}.lock`
  const liveness = ownerLiveness(owner)
  if (liveness === 'gone') return [staleFinding(around, { file, thread, owner })]
  if (liveness === 'foreign') return [foreignLockFinding(file, thread, owner)]
  if (!isLock) return []
  const problem = `is being run by process ${owner.pid}`
  return [{ kind: 'held', file, problem, weight: 'note', threadId: thread }]
}

function staleFinding(
  around: Surroundings,
  at: { readonly file: string; readonly thread: string; readonly owner: LockOwner },
): Finding {
  const { file, thread, owner } = at
  const files = around.layout.filesNamed(thread)
  const remove = async (): Promise<string> => {
    // Under the lock nobody can be on the way to replace one with the file that is removed here.
    const now = readOwner(file)
    if (now?.nonce === owner.nonce && file !== files.lock && file !== files.mutex)
      unlessMissing(() => unlinkSync(file))
    return 'removed it'
  }
  return {
    kind: 'stale-lock',
    file,
    problem: `was left by process ${owner.pid}, which has ended`,
    weight: 'problem',
    threadId: thread,
    repair: () => withThread(around, files, remove),
  }
}

function foreignLockFinding(
  file: string,
  threadId: string,
  { host, pid, since }: LockOwner,
): Finding {
  const owner = host === '' ? 'cannot be read' : `was made by process ${pid} on ${host}`
  return {
    kind: 'held',
    file,
    problem: `${owner} (${since}), another host, start of the machine or container: nobody here can tell whether it lives`,
    weight: 'note',
    threadId,
    hint: `When it has ended: hexagon resume ${threadId} --steal-lock`,
  }
}

function checkDescriptor(around: Surroundings, name: string): Finding[] {
  const thread = nameBefore(name, '.json')
  if (thread === undefined) return foreignIn(around.layout.waiting, name)
  const files = around.layout.filesNamed(thread)
  return mayExist(files) || isRun(files) ? [] : phantomFindings(around, files)
}

function checkHistory(around: Surroundings, name: string): Finding[] {
  const files = around.layout.filesNamed(name)
  if (mayExist(files) || isRun(files)) return []
  return [orphanFinding(around, files.history, 'is the history of a thread that is not there')]
}

function orphanFinding(around: Surroundings, file: string, problem: string): Finding {
  const repair = async (): Promise<string> =>
    `moved it to ${(await moveAway(around, file)) ?? file}`
  return { kind: 'orphan', file, problem, weight: 'problem', repair }
}

function checkTemp(folder: string, name: string): Finding[] {
  const file = join(folder, name)
  if (!isAbandoned(file, name)) return []
  const repair = async (): Promise<string> => {
    unlessMissing(() => unlinkSync(file))
    return 'removed it'
  }
  const problem = 'was left by a process that was killed; nothing reads it'
  return [{ kind: 'temp', file, problem, weight: 'problem', repair }]
}

function foreignIn(folder: string, name: string): Finding[] {
  if (name.endsWith('.json')) return []
  const problem = 'is no file of the store; nothing reads it'
  return [{ kind: 'foreign', file: join(folder, name), problem, weight: 'note' }]
}
