// Folds a thread's log into its document, starts a new log when the old one has grown, and moves what has
// ended out of the way. At every moment in between, document and log together are the whole thread.

import { linkSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Change } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import { writeDocument } from './document.ts'
import { FORMAT } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import { lineOf, type LogHeader } from './log-record.ts'
import { LogWriter } from './log-writer.ts'
import { codeOf, unlessMissing, writeErrorOf } from './store-error.ts'
import { removeDescriptor } from './waiting.ts'

/** A thread that is being folded; only its holder may do that. */
export interface Folding {
  readonly files: ThreadFiles
  readonly disk: Disk
  readonly state: ThreadState
  readonly log: LogWriter
}

/** Brings the document up to date; gives its length. @throws StoreWriteError */
export async function foldLog({ files, disk, state, log }: Folding): Promise<number> {
  // The document may hold nothing that the log could still lose.
  await log.synced()
  return writeDocument(files.document, disk, { state, through: log.through })
}

/** Keeps a folded log as history and starts a new one. @throws StoreWriteError */
export async function rotateLog({ files, disk, state, log }: Folding): Promise<LogWriter> {
  const { through } = log
  try {
    mkdirSync(files.history, { recursive: true, mode: 0o700 })
    linkOnce(files.document, join(files.history, `${ordered(through)}.json`))
    linkOnce(files.log, join(files.history, logName(log.header.from)))
  } catch (error) {
    throw writeErrorOf(files.history, error)
  }
  await disk.syncFolder(files.history)
  disk.at('rotation:kept')
  const next = await newLog(files, disk, { header: headerAt(state, through) })
  log.close()
  disk.at('rotation:replaced')
  return next
}

/** Moves the files of a thread that has ended; its document must be up to date. @throws StoreWriteError */
export function closeThread({ files, disk, log }: Folding): void {
  log.close()
  try {
    mkdirSync(files.history, { recursive: true, mode: 0o700 })
    renameSync(files.log, join(files.history, logName(log.header.from)))
    disk.at('closing:log-moved')
    renameSync(files.document, files.done)
    disk.at('closing:document-moved')
    removeDescriptor(files)
  } catch (error) {
    throw writeErrorOf(files.done, error)
  }
}

/** Takes a thread that had ended back among the open ones. @throws StoreWriteError */
export async function reopenThread(
  files: ThreadFiles,
  disk: Disk,
  parts: {
    readonly state: ThreadState
    readonly through: number
    /** Where the log began that was to be moved. */
    readonly former?: number
  },
): Promise<LogWriter> {
  const { state, through, former } = parts
  try {
    unlessMissing(() => renameSync(files.done, files.document))
    if (former !== undefined)
      unlessMissing(() => renameSync(files.log, join(files.history, logName(former))))
  } catch (error) {
    throw writeErrorOf(files.document, error)
  }
  return newLog(files, disk, { header: headerAt(state, through) })
}

/** The head of a log that goes on from a state. */
function headerAt({ id, events, version }: ThreadState, from: number): LogHeader {
  return { format: FORMAT, id, from, events, version }
}

/** Makes a log of a head and a first record, durable under its name. @throws StoreWriteError */
export async function newLog(
  files: ThreadFiles,
  disk: Disk,
  { header, first }: { readonly header: LogHeader; readonly first?: Change },
): Promise<LogWriter> {
  const { from } = header
  const lines = [lineOf(from, header), ...(first === undefined ? [] : [lineOf(from + 1, first)])]
  const bytes = Buffer.concat(lines)
  const temp = await disk.writeTemp(files.log, bytes)
  try {
    temp.replace(files.log)
    await disk.syncFolder(dirname(files.log))
  } catch (error) {
    temp.discard()
    throw error
  }
  const at = { path: files.log, header, size: bytes.length, through: from + lines.length - 1 }
  return new LogWriter(disk, temp.fd, at)
}

/** Gives a file a second name, unless an act that was cut off has done so. */
export function linkOnce(path: string, kept: string): void {
  try {
    linkSync(path, kept)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Name of an older log. */
export function logName(from: number): string {
  return `${ordered(from)}.log`
}

/** Numbers whose order as texts is their order. */
export function ordered(number: number): string {
  return String(number).padStart(12, '0')
}
