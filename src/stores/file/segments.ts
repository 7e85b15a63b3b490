import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { CheckpointInfo, StoredEvent } from '../../core/store.ts'
import { checkpointsOf, eventsOf, foldUntil } from '../change-history.ts'
import type { Change } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import { readDocument } from './document.ts'
import { nameBefore, type ThreadFiles } from './layout.ts'
import { changesAfter, readLog, type LogFile } from './log-file.ts'
import { assertOwnFolder } from './own-file.ts'
import { unlessMissing } from './store-error.ts'

/**
 * The logs of a thread, newest first; of records that are in two of them the newer one's count.
 * @yields each, read when it is asked for
 * @throws DamagedError
 */
export function* logsOf(files: ThreadFiles): Generator<LogFile> {
  // The current log is read before the older ones are listed: a rotation in between shows it twice, never not.
  const current = readLog(files.log)
  if (current !== undefined) yield current
  let until = current?.header.from ?? Infinity
  for (;;) {
    // Listed again each time: pruning may put another log in the place of one that was listed.
    const from = numbersIn(files.history, '.log').findLast((number) => Number(number) < until)
    if (from === undefined) return
    const log = readLog(join(files.history, `${from}.log`))
    if (log === undefined) continue
    yield upTo(log, until)
    until = log.header.from
  }
}

function upTo(log: LogFile, until: number): LogFile {
  if (log.through <= until) return log
  return { ...log, lines: log.lines.slice(0, until - log.header.from), through: until }
}

/** Events with numbers above `after`. @throws DamagedError */
export function readEvents(
  files: ThreadFiles,
  { after, limit }: { readonly after: number; readonly limit: number },
): StoredEvent[] {
  const logs: LogFile[] = []
  for (const log of logsOf(files)) {
    logs.unshift(log)
    if (log.header.events <= after) break
  }
  const found: StoredEvent[] = []
  for (const log of logs) {
    const changes = changesAfter(log, log.header.from)
    found.push(...eventsOf(changes, { after, limit: limit - found.length, from: log.header }))
    if (found.length >= limit) break
  }
  return found
}

/** Versions below `before`, newest first. @throws DamagedError */
export function readHistory(
  files: ThreadFiles,
  { before, limit }: { readonly before: number; readonly limit: number },
): CheckpointInfo[] {
  const found: CheckpointInfo[] = []
  for (const log of logsOf(files)) {
    const infos = checkpointsOf(changesAfter(log, log.header.from))
    found.push(...infos.filter(({ version }) => version < before).toReversed())
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

/** The state right after a version; undefined when there was none or it is kept no more. @throws DamagedError */
export async function readVersion(
  files: ThreadFiles,
  disk: Disk,
  version: number,
): Promise<ThreadState | undefined> {
  const logs: LogFile[] = []
  for (const log of logsOf(files)) {
    const next = logs[0]?.header.from
    // Changes are missing in between: what they led to is not known.
    if (next !== undefined && log.through !== next) return undefined
    logs.unshift(log)
    if (log.header.version >= version) continue
    const { from } = log.header
    // A log that began when a thread that had ended was taken up again has no document of its own.
    const base = await baseOf(files, disk, from)
    if (base !== undefined || from === 0) return foldUntil(changesIn(logs), version, base)
  }
  return undefined
}

function* changesIn(logs: readonly LogFile[]): Generator<Change> {
  for (const log of logs) yield* changesAfter(log, log.header.from)
}

/** What a thread was before a log that doesn't begin with its creation. @throws DamagedError */
export async function baseOf(
  files: ThreadFiles,
  disk: Disk,
  from: number,
): Promise<ThreadState | undefined> {
  if (from === 0) return undefined
  const number = numbersIn(files.history, '.json').find((name) => Number(name) === from)
  if (number === undefined) return undefined
  return (await readDocument(join(files.history, `${number}.json`), disk))?.state
}

/** The numbers of the files in a history folder, in order. */
export function numbersIn(folder: string, extension: string): string[] {
  assertOwnFolder(folder)
  const names = unlessMissing(() => readdirSync(folder)) ?? []
  return names
    .map((name) => nameBefore(name, extension))
    .filter((name) => name !== undefined)
    .toSorted()
}
