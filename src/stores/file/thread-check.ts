// Looks at every file of a thread. A thread that a process is at work on is only looked at.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { HexagonError, NewerFormatError, type DamagedError } from '../../core/errors.ts'
import { isAtRest, isClosed } from '../thread-state.ts'
import { readDocument } from './document.ts'
import { fileNameOf, isPlainName } from './file-name.ts'
import { once, type Finding } from './finding.ts'
import { lockThread, mayExist } from './holding.ts'
import { readInbox } from './inbox.ts'
import { keepCopy } from './kept-copy.ts'
import type { ThreadFiles } from './layout.ts'
import { ownerLiveness, readOwner } from './lock-owner.ts'
import { readLog } from './log-file.ts'
import { openLog } from './log-writer.ts'
import { restoreThread } from './restoration.ts'
import { salvage } from './salvage.ts'
import { numbersIn } from './segments.ts'
import { nowOf, type Surroundings } from './surroundings.ts'
import { isDamage, readThread, type StoredFile } from './thread-reader.ts'
import { readDescriptor, removeDescriptor, writeDescriptor } from './waiting.ts'

type Damage = DamagedError | NewerFormatError

/** What is wrong with a thread by the name of its files. */
export async function checkThread(around: Surroundings, name: string): Promise<Finding[]> {
  const files = around.layout.filesNamed(name)
  const damages = await damagesOf(around, files)
  if (damages.length > 0) return damageFindings(around, files, damages)
  const found = await readThread(files, around.disk, { withInbox: false }).catch(damageIn)
  if (found instanceof HexagonError) return damageFindings(around, files, [found])
  if (found === undefined) return []
  if (fileNameOf(found.state.id) !== name) return [foreignFinding(files, found)]
  if (isRun(files)) return []
  const orphans = orphanFindings(around, files, found)
  if (orphans.length > 0) return orphans
  return [...tornFindings(around, files, found), ...descriptorFindings(around, files, found)]
}

/** True while a process is at work on a thread, or may be. */
export function isRun({ lock }: ThreadFiles): boolean {
  const owner = readOwner(lock)
  return owner !== undefined && ownerLiveness(owner) !== 'gone'
}

/** Runs an act with a thread's lock and mutex. @throws ThreadLockedError */
export async function withThread<T>(
  around: Surroundings,
  files: ThreadFiles,
  act: () => Promise<T>,
): Promise<T> {
  const { name } = files
  mkdirSync(around.layout.temp, { recursive: true, mode: 0o700 })
  const lock = lockThread(around, files, { threadId: name, owner: 'doctor' })
  try {
    const mutex = await around.locks.takeMutex(files.mutex, name, nowOf(around))
    try {
      return await act()
    } finally {
      mutex.release()
    }
  } finally {
    lock.release()
  }
}

/** Each file on its own, so that one that is damaged doesn't hide another. */
async function damagesOf({ disk }: Surroundings, files: ThreadFiles): Promise<Damage[]> {
  const older = (extension: string): string[] =>
    numbersIn(files.history, extension).map((number) =>
      join(files.history, `${number}${extension}`),
    )
  const reads: (() => unknown)[] = [
    ...[files.document, files.done, ...older('.json')].map(
      (path) => () => readDocument(path, disk),
    ),
    ...[files.log, ...older('.log')].map((path) => () => readLog(path)),
    () => readInbox(files.inbox),
  ]
  const damages: Damage[] = []
  for (const read of reads) {
    try {
      await read()
    } catch (error) {
      damages.push(damageIn(error))
    }
  }
  return damages
}

function damageIn(error: unknown): Damage {
  if (isDamage(error)) return error
  throw error
}

async function damageFindings(
  around: Surroundings,
  files: ThreadFiles,
  damages: readonly Damage[],
): Promise<Finding[]> {
  const hint = await whyNoRepair(around, files, damages)
  const restore = once(() => withThread(around, files, () => restoreThread(around, files)))
  return damages.map(({ details }) => {
    const file = String(details['file'])
    const isNewer = details['format'] !== undefined
    return {
      kind: isNewer ? 'newer' : 'damaged',
      file,
      problem: isNewer
        ? `was written by a newer hexagon (format ${String(details['format'])})`
        : String(details['problem']),
      weight: 'problem',
      ...threadOf(files),
      ...(hint === undefined ? { repair: restore } : { hint }),
    }
  })
}

/** Why a person has to help; undefined when the thread can be restored. */
async function whyNoRepair(
  around: Surroundings,
  files: ThreadFiles,
  damages: readonly Damage[],
): Promise<string | undefined> {
  const newer = damages.find((error) => error instanceof NewerFormatError)
  if (newer !== undefined) return 'Use that version.'
  if (damages.some(({ details }) => !isReadable(String(details['file']))))
    return 'Nothing is repaired that cannot be read: set its owner and permissions right.'
  const found = await salvage(files, around.disk)
  if (found !== undefined) return undefined
  return `No good version of it is left. Put a copy back, or: hexagon delete ${files.name}`
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function foreignFinding(files: ThreadFiles, { state, isDone }: StoredFile): Finding {
  return {
    kind: 'foreign',
    file: isDone ? files.done : files.document,
    problem: `belongs to thread ${JSON.stringify(state.id)}: it was renamed or copied by hand`,
    weight: 'problem',
    hint: `Move it away, or name it ${fileNameOf(state.id)} again.`,
  }
}

function tornFindings(around: Surroundings, files: ThreadFiles, { log }: StoredFile): Finding[] {
  if (log === undefined || log.totalBytes <= log.wholeBytes) return []
  const cut = async (): Promise<string> => {
    await keepCopy(around, files.log)
    const now = readLog(files.log)
    if (now !== undefined) openLog(around.disk, files.log, now).close()
    return 'cut the unfinished record away; it was never acknowledged'
  }
  return [
    {
      kind: 'torn',
      file: files.log,
      problem: 'ends with a record that was never finished',
      weight: 'problem',
      ...threadOf(files),
      repair: () => withThread(around, files, cut),
    },
  ]
}

/** A document that says it goes on, without the log it would go on in. */
function orphanFindings(around: Surroundings, files: ThreadFiles, found: StoredFile): Finding[] {
  if (found.log !== undefined || found.isDone || isClosed(found.state.status)) return []
  return [
    {
      kind: 'orphan',
      file: files.document,
      problem: 'its log is missing: what came after the document is unknown',
      weight: 'problem',
      ...threadOf(files),
      repair: () => withThread(around, files, () => restoreThread(around, files)),
    },
  ]
}

function descriptorFindings(
  around: Surroundings,
  files: ThreadFiles,
  { state, isDone }: StoredFile,
): Finding[] {
  if (isDone || isClosed(state.status)) return phantomFindings(around, files)
  if (!isAtRest(state.status) || readDescriptor(files) !== undefined) return []
  const rebuild = async (): Promise<string> => {
    const now = await readThread(files, around.disk, { withInbox: false })
    if (now !== undefined) writeDescriptor(files, now.state)
    return 'wrote it anew'
  }
  return [
    {
      kind: 'descriptor',
      file: files.waiting,
      problem: 'is missing or out of date, so that lists read the whole thread',
      weight: 'problem',
      ...threadOf(files),
      repair: () => withThread(around, files, rebuild),
    },
  ]
}

/** A waiting thread that isn't: ended, deleted, or never there. */
export function phantomFindings({ layout }: Surroundings, files: ThreadFiles): Finding[] {
  if (!existsSync(files.waiting)) return []
  const isGone = !mayExist(layout.filesNamed(files.name))
  return [
    {
      kind: 'phantom',
      file: files.waiting,
      problem: isGone
        ? 'describes a thread that is not there'
        : 'describes a thread that has ended',
      weight: 'problem',
      repair: async () => {
        removeDescriptor(files)
        return 'removed it'
      },
    },
  ]
}

function threadOf({ name }: ThreadFiles): { readonly threadId?: string } {
  return isPlainName(name) ? { threadId: name } : {}
}
