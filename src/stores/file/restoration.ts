// Puts a thread back to its last good version, with its lock and its mutex held. Everything that is
// changed is copied first; the log is replaced before the document, so that a crash in between leaves
// a log that the next restoration goes on from.

import { linkSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { DamagedError } from '../../core/errors.ts'
import type { CommitChange } from '../change.ts'
import { applyChange, isAtRest, isClosed, type ThreadState } from '../thread-state.ts'
import { logName, ordered } from './compaction.ts'
import { readDocument, stampOf, writeDocument } from './document.ts'
import { mendHistory } from './history-mending.ts'
import { isDamagedInbox, mendInbox } from './inbox-mending.ts'
import { isObject } from './json-file.ts'
import { keepCopy } from './kept-copy.ts'
import type { ThreadFiles } from './layout.ts'
import { readLog } from './log-file.ts'
import { changeOf, lineOf } from './log-record.ts'
import { replaceFile } from './replacement.ts'
import { salvage, type Salvage } from './salvage.ts'
import { denseRecords, salvageLog } from './salvaged-log.ts'
import { unlessMissing } from './store-error.ts'
import { nowOf, type Surroundings } from './surroundings.ts'
import { isDamage } from './thread-reader.ts'
import { removeDescriptor, writeDescriptor } from './waiting.ts'

/** Restores a thread whose lock is held; says to which version. @throws DamagedError when nothing good is left */
export async function restoreThread(around: Surroundings, files: ThreadFiles): Promise<string> {
  const found = await salvage(files, around.disk)
  if (found === undefined) throw new DamagedError(files.document, 'no good version of it is left')
  const { version } = found.state
  const kept = await keepAll(around, [files.log, files.document, files.done])
  const isInboxDamaged = isDamagedInbox(files.inbox)
  const isInDoubt = found.isCut || isInboxDamaged
  const isOver = isClosed(found.state.status) && isThere(files.done) && !isThere(files.document)
  const mark = isInDoubt ? markOf(around, found, kept) : undefined
  if (isOver) await writeEnded(around, files, { found, mark })
  else await writeOpen(around, files, { found, mark })
  // After the mark: a crash in between leaves both, never an answer that is gone without a word.
  if (isInboxDamaged) await mendInbox(around, files.inbox)
  await mendHistory(around, files, found.through)
  const doubt = isInDoubt ? '; what came after it is in doubt' : ', nothing is lost'
  return `restored to version ${version}${doubt}; copies are in ${around.layout.damaged}`
}

interface Restored {
  readonly found: Salvage
  readonly mark: CommitChange | undefined
}

async function writeOpen(
  around: Surroundings,
  files: ThreadFiles,
  { found, mark }: Restored,
): Promise<void> {
  const { disk } = around
  const { state } = found
  const isLogWhole = logEnd(files.log) === found.through
  if (!isLogWhole || mark !== undefined) {
    if (!isLogWhole) await keepBeginning(around, files, found)
    await writeLog(around, files, { found, mark })
  }
  if (mark !== undefined) applyChange(state, mark)
  await writeDocument(files.document, disk, { state, through: endOf(found, mark) })
  unlessMissing(() => unlinkSync(files.done))
  describe(files, state)
}

async function writeEnded(
  { disk }: Surroundings,
  files: ThreadFiles,
  { found, mark }: Restored,
): Promise<void> {
  const { state } = found
  if (mark !== undefined) applyChange(state, mark)
  await writeDocument(files.done, disk, { state, through: endOf(found, mark) })
}

function endOf({ through }: Salvage, mark: CommitChange | undefined): number {
  return mark === undefined ? through : through + 1
}

/** A log from the base to the restored version. */
async function writeLog(
  around: Surroundings,
  files: ThreadFiles,
  { found, mark }: Restored,
): Promise<void> {
  const { header, records, through } = found
  const whole = logEnd(files.log) === through ? readLog(files.log) : undefined
  const kept = whole === undefined ? { header, lines: records } : whole
  const lines = [
    lineOf(kept.header.from, kept.header),
    ...kept.lines.map((line) => lineOf(line.number, changeOf(line))),
    ...(mark === undefined ? [] : [lineOf(through + 1, mark)]),
  ]
  await replaceFile(around.disk, files.log, Buffer.concat(lines))
}

/** What the new log doesn't have of the old one's good beginning stays readable as history. */
async function keepBeginning(
  { disk }: Surroundings,
  files: ThreadFiles,
  { header }: Salvage,
): Promise<void> {
  const old = salvageLog(files.log)
  if (old?.header === undefined || old.header.from >= header.from) return
  const path = join(files.history, logName(old.header.from))
  if (isThere(path)) return
  const lines = denseRecords(old).filter(({ number }) => number <= header.from)
  const text = [
    lineOf(old.header.from, old.header),
    ...lines.map((line) => lineOf(line.number, changeOf(line))),
  ]
  await replaceFile(disk, path, Buffer.concat(text))
  const base = await readDocument(files.document, disk).catch(() => undefined)
  const kept = join(files.history, `${ordered(header.from)}.json`)
  // With it versions behind the gap can be looked at.
  if (base?.through === header.from && !isThere(kept)) linkSync(files.document, kept)
}

/** The commit that says in the thread itself that it was put back. */
function markOf(around: Surroundings, found: Salvage, kept: readonly string[]): CommitChange {
  const { state, lastVersion } = found
  const at = nowOf(around)
  const meta = markedMeta(state.meta, { afterVersion: state.version, at, kept })
  return {
    kind: 'commit',
    at,
    // Above every version that was ever seen, so that none stands for two states.
    version: lastVersion + 1,
    status: state.status,
    label: 'restored',
    runAfter: state.runAfter,
    ...(meta === undefined ? {} : { meta }),
  }
}

function markedMeta(text: string, inDoubt: object): string | undefined {
  const meta: unknown = JSON.parse(text)
  return isObject(meta) ? JSON.stringify({ ...meta, inDoubt }) : undefined
}

function describe(files: ThreadFiles, state: ThreadState): void {
  if (isAtRest(state.status) && !isClosed(state.status)) writeDescriptor(files, state)
  else removeDescriptor(files)
}

/** Number of the last record of a log that reads; undefined for another. */
function logEnd(path: string): number | undefined {
  try {
    return readLog(path)?.through
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}

async function keepAll(around: Surroundings, paths: readonly string[]): Promise<string[]> {
  const kept: string[] = []
  for (const path of paths) {
    const copy = stampOf(path) && (await keepCopy(around, path))
    if (copy !== undefined) kept.push(copy.slice(dirname(around.layout.damaged).length + 1))
  }
  return kept
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
