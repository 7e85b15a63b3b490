// One small file for each open thread that nobody runs, so that lists needn't read the whole of it. It
// is written over in place and never synced: it counts only while document and log are the ones it was made
// of, and whoever finds it stale, torn or missing reads the thread itself.

import { unlinkSync, writeFileSync } from 'node:fs'

import type { InterruptRow, StoredStatus, WakeRule } from '../../core/store.ts'
import { openOf, type ThreadState } from '../thread-state.ts'
import { sameStamp, stampOf, type FileStamp } from './document.ts'
import { FORMAT, isObject, readText } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import { unlessMissing } from './store-error.ts'

/** What lists need of a thread. */
export interface Descriptor {
  readonly format: number
  readonly id: string
  readonly flow: string
  readonly status: StoredStatus
  readonly version: number
  readonly fence: number
  readonly attempts: number
  readonly wake: WakeRule
  readonly createdAt: string
  readonly updatedAt: string
  readonly runAfter?: string | undefined
  readonly meta: string
  readonly inbox: number
  readonly answered: number
  readonly open: readonly InterruptRow[]
  /** The files it was made of. */
  readonly document?: FileStamp | undefined
  readonly log?: FileStamp | undefined
}

/** Writes what lists need; a failure only makes lists slower. */
export function writeDescriptor(files: ThreadFiles, state: ThreadState): void {
  const descriptor: Descriptor = {
    format: FORMAT,
    id: state.id,
    flow: state.flow,
    status: state.status,
    version: state.version,
    fence: state.fence,
    attempts: state.attempts,
    wake: state.wake,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    runAfter: state.runAfter,
    meta: state.meta,
    inbox: state.inbox,
    answered: state.answered,
    open: openOf(state),
    document: stampOf(files.document),
    log: stampOf(files.log),
  }
  try {
    writeFileSync(files.waiting, `${JSON.stringify(descriptor)}\n`, { mode: 0o600 })
  } catch {
    removeDescriptor(files)
  }
}

/** Removes it, if it is there. */
export function removeDescriptor(files: ThreadFiles): void {
  unlessMissing(() => unlinkSync(files.waiting))
}

/** Reads what lists need; undefined unless it is whole and up to date. */
export function readDescriptor(files: ThreadFiles): Descriptor | undefined {
  const descriptor = parse(files.waiting)
  if (descriptor === undefined) return undefined
  const isFresh =
    sameStamp(descriptor.log, stampOf(files.log)) &&
    sameStamp(descriptor.document, stampOf(files.document))
  return isFresh ? descriptor : undefined
}

function parse(path: string): Descriptor | undefined {
  try {
    const value: unknown = JSON.parse(readText(path) ?? '')
    return isObject(value) && value['format'] === FORMAT
      ? (value as unknown as Descriptor)
      : undefined
  } catch {
    return undefined
  }
}
