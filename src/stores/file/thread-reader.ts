// Reads a thread without a lock. Its parts change while they are read, so they are read in an order in
// which nothing can fall between them, and again when it did.
//
// Invariants:
//   1. The inbox is read first: what is moved from it to the log afterwards is then found in the log.
//   2. The document is read before the log. A log that begins behind the end of the document means that
//      the document was replaced in between.
//   3. A missing log means nothing only while the document is still the one that was read.

import { setTimeout as sleep } from 'node:timers/promises'

import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import { fold } from '../change-history.ts'
import type { ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import type { ThreadDocument } from './document-text.ts'
import { readDocument, sameStamp, stampOf, type FileStamp } from './document.ts'
import { applyInbox, readInbox } from './inbox.ts'
import type { ThreadFiles } from './layout.ts'
import { changesAfter, readLog, type LogFile } from './log-file.ts'

/** True for what says that a thread can't be read. */
export function isDamage(error: unknown): error is DamagedError | NewerFormatError {
  return error instanceof DamagedError || error instanceof NewerFormatError
}

/** A thread as its files have it. */
export interface StoredFile {
  readonly state: ThreadState
  /** Number of the last record that is part of the state. */
  readonly through: number
  /** True when it lies with those that have ended. */
  readonly isDone: boolean
  readonly document: FileStamp | undefined
  readonly log: LogFile | undefined
}

const CONFIRMING_TRIES = 2
const TRIES = 40

/** Reads one consistent state; undefined when there is no such thread. @throws DamagedError, NewerFormatError */
export async function readThread(
  files: ThreadFiles,
  disk: Disk,
  options: { readonly withInbox: boolean } = { withInbox: true },
): Promise<StoredFile | undefined> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const attempt = await attemptRead(files, disk, options.withInbox)
    if (attempt.kind === 'read') return attempt.thread
    // What is seen only once was just being moved or written.
    const isSettled = tries >= CONFIRMING_TRIES
    if (isSettled && attempt.kind === 'missing') return undefined
    if (isSettled && attempt.kind === 'damaged') throw attempt.error
    if (isSettled) await sleep(1)
  }
  throw new DamagedError(files.document, 'is being replaced without end')
}

type Attempt =
  | { readonly kind: 'read'; readonly thread: StoredFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'damaged'; readonly error: Error }

async function attemptRead(files: ThreadFiles, disk: Disk, withInbox: boolean): Promise<Attempt> {
  try {
    const inbox = withInbox ? readInbox(files.inbox) : undefined
    const attempt = (await readOpen(files, disk)) ?? (await readDone(files, disk))
    if (attempt.kind === 'read' && inbox !== undefined) applyInbox(attempt.thread.state, inbox)
    return attempt
  } catch (error) {
    if (!isDamage(error)) throw error
    return { kind: 'damaged', error }
  }
}

async function readOpen(files: ThreadFiles, disk: Disk): Promise<Attempt | undefined> {
  const stamp = stampOf(files.document)
  const document = await readDocument(files.document, disk)
  const log = readLog(files.log)
  if (log !== undefined) return joined(files, { document, stamp, log })
  if (document === undefined) return undefined
  if (!sameStamp(stamp, stampOf(files.document))) return { kind: 'moved' }
  return { kind: 'read', thread: { ...document, isDone: false, document: stamp, log } }
}

async function readDone(files: ThreadFiles, disk: Disk): Promise<Attempt> {
  const stamp = stampOf(files.done)
  const document = await readDocument(files.done, disk)
  if (document === undefined) return { kind: 'missing' }
  return {
    kind: 'read',
    thread: { ...document, isDone: true, document: stamp, log: undefined },
  }
}

function joined(
  files: ThreadFiles,
  parts: {
    readonly document: ThreadDocument | undefined
    readonly stamp: FileStamp | undefined
    readonly log: LogFile
  },
): Attempt {
  const { document, stamp, log } = parts
  const through = document?.through ?? 0
  if (log.header.from > through) {
    const problem = `begins behind record ${log.header.from}, the document ends at ${through}`
    return { kind: 'damaged', error: new DamagedError(files.log, problem) }
  }
  if (document !== undefined && log.through < through) {
    const problem = `ends at record ${log.through}, the document has ${through}`
    return { kind: 'damaged', error: new DamagedError(files.log, problem) }
  }
  const state = fold(changesAfter(log, through), document?.state)
  if (state === undefined) {
    return { kind: 'damaged', error: new DamagedError(files.log, 'has no record of the beginning') }
  }
  const thread = { state, through: log.through, isDone: false, document: stamp, log }
  return { kind: 'read', thread }
}
