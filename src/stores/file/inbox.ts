// Answers given by whoever does not hold the thread: one line a batch, each durable before its giver is
// told. Batches are numbered over the whole life of a thread, and a thread's state says up to which number
// it has them, so that one taken into the log while the file is still there counts once.

import { closeSync, ftruncateSync, statSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'

import type { AnswerChange, GivenAnswer } from '../change.ts'
import { applyChange, type ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import { changeOf, lineOf, scanLines } from './log-record.ts'
import { openOwn, readOwn } from './own-file.ts'
import { unlessMissing, writeErrorOf } from './store-error.ts'

/** What lies in an inbox. */
export interface Inbox {
  readonly batches: readonly AnswerChange[]
  /** Length without a batch that was cut off. */
  readonly wholeBytes: number
}

const EMPTY: Inbox = { batches: [], wholeBytes: 0 }

/** True when there may be answers nobody has taken in. */
export function hasInbox(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Reads the batches that are whole. @throws DamagedError */
export function readInbox(path: string): Inbox {
  const bytes = readOwn(path)
  if (bytes === undefined) return EMPTY
  const { lines, wholeBytes } = scanLines(path, bytes)
  const batches = lines.map(changeOf).filter((change) => change.kind === 'answer')
  return { batches, wholeBytes }
}

/** Adds to a state what it doesn't have yet. */
export function applyInbox(state: ThreadState, { batches }: Inbox): void {
  for (const change of batches) if (isNews(state, change)) applyChange(state, change)
}

/** Everything a state doesn't have yet as one change, if there is anything. */
export function newsOf(state: ThreadState, { batches }: Inbox): AnswerChange | undefined {
  const news = batches.filter((change) => isNews(state, change))
  const last = news.at(-1)
  if (last === undefined) return undefined
  const answers = news.flatMap((change): readonly GivenAnswer[] => change.answers)
  return { kind: 'answer', at: last.at, answers, through: last.through }
}

/** Appends a batch and makes it durable; only under the mutex. @throws StoreWriteError, DamagedError */
export async function appendToInbox(
  disk: Disk,
  path: string,
  batch: AnswerChange & { readonly through: number },
): Promise<void> {
  const isNew = !hasInbox(path)
  const { wholeBytes } = readInbox(path)
  const fd = openInbox(path)
  try {
    // A batch that was cut off would hide those behind it.
    if (!isNew) ftruncateSync(fd, wholeBytes)
    disk.append(fd, lineOf(batch.through, batch), { kind: 'inbox', path })
    await disk.sync(fd, { kind: 'inbox', path })
    if (isNew) await disk.syncFolder(dirname(path))
  } catch (error) {
    truncateQuietly(fd, wholeBytes)
    throw writeErrorOf(path, error)
  } finally {
    closeSync(fd)
  }
}

/** Removes an inbox whose batches are all durable in the log; only under the mutex. */
export function removeInbox(path: string): void {
  unlessMissing(() => unlinkSync(path))
}

function isNews(state: ThreadState, change: AnswerChange): boolean {
  return (change.through ?? 0) > state.inbox
}

function openInbox(path: string): number {
  try {
    return openOwn(path, 'append')
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}

function truncateQuietly(fd: number, length: number): void {
  try {
    ftruncateSync(fd, length)
  } catch {
    // What is left is a batch that was cut off, and those are not read.
  }
}
