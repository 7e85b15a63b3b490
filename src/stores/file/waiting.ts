// One small file for each open thread that nobody runs, so that lists needn't read the whole of it. It
// is written over in place and never synced: it counts only while document and log are the ones it was made
// of, and whoever finds it stale, torn or missing reads the thread itself.

import { unlinkSync } from 'node:fs'

import type { InterruptRow, StoredStatus, WakeRule } from '../../core/store.ts'
import { isQuestion, isStoredStatus, isWakeRule } from '../change-form.ts'
import { openOf, type ThreadState } from '../thread-state.ts'
import { sameStamp, stampOf, type FileStamp } from './document.ts'
import { FORMAT, isObject, readText } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import { overwriteOwn } from './own-file.ts'
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
    overwriteOwn(files.waiting, `${JSON.stringify(descriptor)}\n`)
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

const TEXTS = ['id', 'flow', 'createdAt', 'updatedAt', 'meta']
const COUNTS = ['version', 'fence', 'attempts', 'inbox', 'answered']

/** Whoever can write here may have written anything. */
function isDescriptor(value: unknown): value is Descriptor {
  if (!isObject(value) || value['format'] !== FORMAT) return false
  const { status, wake, runAfter, open } = value
  const isHead =
    TEXTS.every((key) => typeof value[key] === 'string') &&
    COUNTS.every((key) => Number.isSafeInteger(value[key])) &&
    isStoredStatus(status) &&
    isWakeRule(wake)
  const isTimed = runAfter === undefined || typeof runAfter === 'string'
  return isHead && isTimed && Array.isArray(open) && open.every(isOpenQuestion)
}

function isOpenQuestion(row: unknown): boolean {
  return isQuestion(row) && isObject(row) && row['status'] === 'open'
}

function parse(path: string): Descriptor | undefined {
  try {
    const value: unknown = JSON.parse(readText(path) ?? '')
    return isDescriptor(value) ? value : undefined
  } catch {
    return undefined
  }
}
