import { statSync } from 'node:fs'

import { DamagedError } from '../../core/errors.ts'
import type { Change } from '../change.ts'
import { changeOf, headerOf, scanLines, type LogHeader, type LogLine } from './log-record.ts'
import { readOwn } from './own-file.ts'

/** A log as it was read. */
export interface LogFile {
  readonly path: string
  readonly header: LogHeader
  readonly lines: readonly LogLine[]
  /** Number of the last record, or of the last one before this log. */
  readonly through: number
  readonly wholeBytes: number
  /** Above `wholeBytes` when an append was cut off. */
  readonly totalBytes: number
  readonly mtimeMs: number
}

/** Reads a log; undefined when there is none. @throws DamagedError, NewerFormatError */
export function readLog(path: string): LogFile | undefined {
  // The time is taken first: a later append makes it older than the content, never newer.
  const stats = statSync(path, { throwIfNoEntry: false })
  const bytes = stats && readOwn(path)
  if (bytes === undefined || stats === undefined) return undefined
  const { lines, wholeBytes } = scanLines(path, bytes)
  const [first, ...records] = lines
  const header = headerOf(path, first)
  assertDense(path, header, records)
  return {
    path,
    header,
    lines: records,
    through: header.from + records.length,
    wholeBytes,
    totalBytes: bytes.length,
    mtimeMs: stats.mtimeMs,
  }
}

/**
 * The changes behind record `after`.
 * @yields each, parsed when it is asked for
 */
export function* changesAfter(log: LogFile, after: number): Generator<Change> {
  for (const line of log.lines.slice(Math.max(0, after - log.header.from))) yield changeOf(line)
}

function assertDense(path: string, header: LogHeader, records: readonly LogLine[]): void {
  const stray = records.findIndex(({ number }, index) => number !== header.from + index + 1)
  const line = records[stray]
  if (line === undefined) return
  const position = line.offset.toLocaleString('en')
  throw new DamagedError(path, `a record is missing before position ${position}`)
}
