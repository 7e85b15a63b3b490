// Takes a thread's oldest checkpoints away, with its lock and its mutex held. First a document and a log are
// made that begin where history is to begin; only then what is older goes, the oldest first. Whatever is there
// at a moment in between reads: logs that overlap are read as one, and what is left has no gap.

import { mkdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

import { UnknownThreadError } from '../../core/errors.ts'
import type { Pruned } from '../../core/store.ts'
import { cutOf, fold } from '../change-history.ts'
import type { Change } from '../change.ts'
import { isAtRest, isClosed, type ThreadState } from '../thread-state.ts'
import { linkOnce, logName, ordered } from './compaction.ts'
import { stampOf, writeDocument } from './document.ts'
import { assertSameThread } from './holding.ts'
import { FORMAT } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import { changesAfter, type LogFile } from './log-file.ts'
import { changeOf, lineOf } from './log-record.ts'
import { replaceFile } from './replacement.ts'
import { baseOf, logsOf, numbersIn } from './segments.ts'
import { unlessMissing, writeErrorOf } from './store-error.ts'
import type { Surroundings } from './surroundings.ts'
import { readThread, type StoredFile } from './thread-reader.ts'
import { underLock } from './under-lock.ts'
import { writeDescriptor } from './waiting.ts'

/** Keeps the newest checkpoints of a thread. @throws UnknownThreadError, ThreadLockedError, DamagedError, StoreWriteError */
export async function pruneThread(
  around: Surroundings,
  files: ThreadFiles,
  { threadId, keep }: { readonly threadId: string; readonly keep: number },
): Promise<Pruned> {
  const act = async (): Promise<Pruned> => {
    const found = await readThread(files, around.disk, { withInbox: false })
    if (found === undefined) throw new UnknownThreadError(threadId)
    assertSameThread(files, found, threadId)
    return prune(around, files, { found, keep })
  }
  return underLock(around, files, { threadId, owner: 'prune', act })
}

async function prune(
  around: Surroundings,
  files: ThreadFiles,
  { found, keep }: { readonly found: StoredFile; readonly keep: number },
): Promise<Pruned> {
  const logs = [...logsOf(files)].toReversed()
  const changes = logs.flatMap((log) => [...changesAfter(log, log.header.from)])
  const { index, removed, oldest } = cutOf(changes, keep)
  const start = logs[0]?.header.from ?? 0
  const from = start + index
  const log = logs.findLast(({ header }) => header.from <= from)
  if (log === undefined) return { removed, oldest }
  if (log.header.from < from) {
    const base = await baseAt(around, files, { start, changes: changes.slice(0, index) })
    if (base !== undefined) await beginAt(around, files, { base, from, log, found })
  }
  around.disk.at('pruning:begun')
  await sweep(around, files, from)
  return { removed, oldest }
}

/** The state behind the changes that go. */
async function baseAt(
  { disk }: Surroundings,
  files: ThreadFiles,
  { start, changes }: { readonly start: number; readonly changes: readonly Change[] },
): Promise<ThreadState | undefined> {
  return fold(changes, await baseOf(files, disk, start))
}

/** Makes history begin behind record `from`. */
async function beginAt(
  around: Surroundings,
  files: ThreadFiles,
  cut: {
    readonly base: ThreadState
    readonly from: number
    readonly log: LogFile
    readonly found: StoredFile
  },
): Promise<void> {
  const { base, from, log, found } = cut
  const { disk } = around
  const { id, events, version } = base
  const isCurrent = log.path === files.log
  const lines = log.lines.slice(from - log.header.from)
  const bytes = Buffer.concat([
    lineOf(from, { format: FORMAT, id, from, events, version }),
    ...lines.map((line) => lineOf(line.number, changeOf(line))),
  ])
  mkdirSync(files.history, { recursive: true, mode: 0o700 })
  await writeDocument(historyFile(files, `${ordered(from)}.json`), disk, {
    state: base,
    through: from,
  })
  if (isCurrent) {
    // The log must not begin behind the end of the document, nor take away what older logs don't have yet.
    await writeDocument(files.document, disk, found)
    linkOnce(files.log, historyFile(files, logName(log.header.from)))
  }
  await replaceFile(disk, isCurrent ? files.log : historyFile(files, logName(from)), bytes)
  if (isCurrent && isAtRest(found.state.status) && !isClosed(found.state.status)) {
    writeDescriptor(files, found.state)
  }
}

/** Removes what is older than record `from`: each log before what it goes on from. */
async function sweep({ disk }: Surroundings, files: ThreadFiles, from: number): Promise<void> {
  const older = (extension: string): string[] =>
    numbersIn(files.history, extension)
      .filter((number) => Number(number) < from)
      .map((number) => historyFile(files, `${number}${extension}`))
  const paths = [...older('.log'), ...older('.json')]
  if (paths.length === 0) return
  try {
    for (const path of paths) {
      unlessMissing(() => unlinkSync(path))
      disk.at('pruning:removed')
    }
  } catch (error) {
    throw writeErrorOf(files.history, error)
  }
  if (stampOf(files.history) !== undefined) await disk.syncFolder(files.history)
}

function historyFile({ history }: ThreadFiles, name: string): string {
  return join(history, name)
}
