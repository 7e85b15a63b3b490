// Who answered what, one line an answer, each with the hash of the line before. Lines are only ever
// appended, and nothing that deletes threads touches them.
//
// Invariants:
//   1. An answer's line is durable before the answer is: no answer is without its line. What a crash
//      may leave is a line whose answer never arrived.
//   2. Lines are appended under one mutex of the store. It is the last that is taken, so that nobody waits
//      for another who waits for it.

import { closeSync, fstatSync, ftruncateSync, readSync } from 'node:fs'

import { ThreadLockedError } from '../../core/errors.ts'
import type { NewInterrupt } from '../../core/store.ts'
import type { GivenAnswer } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import { entryOf, linesAfter } from './audit-line.ts'
import type { Lock } from './lock.ts'
import { openOwn } from './own-file.ts'
import { writeErrorOf } from './store-error.ts'
import { nowOf, type Surroundings } from './surroundings.ts'

const NEWLINE = 10
const CHUNK_BYTES = 64 * 1024

/** Answers as they are about to be stored. */
interface AnswerBatch {
  readonly answers: readonly GivenAnswer[] | undefined
  /** Questions that the same commit opens. */
  readonly opened?: readonly NewInterrupt[] | undefined
}

/** Writes a line for each answer of a batch and makes them durable. @throws StoreWriteError, ThreadLockedError */
export async function recordAnswers(
  around: Surroundings,
  { id, interrupts }: Pick<ThreadState, 'id' | 'interrupts'>,
  { answers = [], opened = [] }: AnswerBatch,
): Promise<void> {
  if (answers.length === 0) return
  const kinds = new Map(opened.map((question) => [question.id, question.kind]))
  const kindOf = ({ id: question }: GivenAnswer): string =>
    interrupts.get(question)?.kind ?? kinds.get(question) ?? ''
  const mutex = await takeMutex(around)
  try {
    await append(
      around,
      answers.map((given) => entryOf(id, kindOf(given), given)),
    )
  } finally {
    mutex.release()
  }
}

/** It is held for a moment only: who holds it from another host or start of the machine has ended long since. */
async function takeMutex(around: Surroundings): Promise<Lock> {
  const path = `${around.layout.audit}.mutex`
  const since = nowOf(around)
  try {
    return await around.locks.takeMutex(path, 'audit', since)
  } catch (error) {
    if (!(error instanceof ThreadLockedError)) throw error
    return around.locks.take({ path, threadId: 'audit', owner: 'mutex', since, steal: true })
  }
}

async function append(
  { disk, layout }: Surroundings,
  entries: readonly ReturnType<typeof entryOf>[],
): Promise<void> {
  const path = layout.audit
  const fd = open(path)
  try {
    const end = endOf(fd)
    // A line that was cut off has no answer.
    if (fstatSync(fd).size > end.wholeBytes) ftruncateSync(fd, end.wholeBytes)
    const lines = linesAfter(end.last, entries)
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    disk.append(fd, bytes, { kind: 'audit', path })
    await disk.sync(fd, { kind: 'audit', path })
    if (end.last === undefined) await disk.syncFolder(layout.root)
  } catch (error) {
    throw writeErrorOf(path, error)
  } finally {
    closeSync(fd)
  }
}

/** The last whole line, and where it ends; read from behind. */
function endOf(fd: number): { readonly last: string | undefined; readonly wholeBytes: number } {
  const { size } = fstatSync(fd)
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const from = Math.max(0, size - length)
    const bytes = Buffer.alloc(size - from)
    readSync(fd, bytes, 0, bytes.length, from)
    const end = bytes.lastIndexOf(NEWLINE)
    const start = end < 1 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1)
    if (end >= 0 && (start >= 0 || from === 0)) {
      return { last: bytes.toString('utf8', start + 1, end), wholeBytes: from + end + 1 }
    }
    if (from === 0) return { last: undefined, wholeBytes: 0 }
  }
}

function open(path: string): number {
  try {
    return openOwn(path, 'read-append')
  } catch (error) {
    throw writeErrorOf(path, error)
  }
}
