import { crc32 } from 'node:zlib'

import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import { isChange } from '../change-form.ts'
import type { Position } from '../change-history.ts'
import type { Change } from '../change.ts'
import { FORMAT, isObject } from './json-file.ts'

// One line a record: `<crc32 of the rest, 8 hex digits> <number> <JSON>\n`. JSON text has no line
// breaks of its own, so that a line that is whole and checks is a record, and nothing else is.

/** The first line of a log: what lies before its first record. */
export interface LogHeader extends Position {
  readonly format: number
  readonly id: string
  /** Number of the last record before this log. */
  readonly from: number
}

/** A log as it was read. */
export interface LogBytes {
  readonly path: string
  readonly bytes: Buffer
}

/** A line that checked. */
export interface LogLine {
  readonly path: string
  readonly number: number
  readonly offset: number
  /** What it says; undefined when that is no JSON. */
  readonly json: () => unknown
}

/** What a scan of lines found. */
export interface Scan {
  readonly lines: readonly LogLine[]
  /** Bytes up to which everything is whole; what follows was never finished. */
  readonly wholeBytes: number
}

const NEWLINE = 10
const NUL = 0
/** Digits of the checksum and the blank after them. */
const SUM_LENGTH = 9

/** Writes a record as a line. */
export function lineOf(number: number, record: Change | LogHeader): Buffer {
  const payload = `${number} ${JSON.stringify(record)}`
  return Buffer.from(`${sumOf(payload)} ${payload}\n`)
}

/** Reads whole lines; ignores a last one that was never finished. @throws DamagedError */
export function scanLines(path: string, bytes: Buffer): Scan {
  const lines: LogLine[] = []
  let offset = 0
  while (offset < bytes.length) {
    const end = bytes.indexOf(NEWLINE, offset)
    const line = end < 0 ? undefined : lineAt({ path, bytes }, offset, end)
    if (line === undefined) break
    lines.push(line)
    offset = end + 1
  }
  if (offset < bytes.length) assertTorn({ path, bytes }, offset)
  return { lines, wholeBytes: offset }
}

/** @throws DamagedError, NewerFormatError */
export function headerOf(path: string, line: LogLine | undefined): LogHeader {
  const value = line?.json()
  if (!isObject(value)) throw new DamagedError(path, 'has no head')
  const { format, id, from, events, version } = value
  if (typeof format === 'number' && format > FORMAT) throw new NewerFormatError(path, format)
  const isWhole =
    format === FORMAT &&
    typeof id === 'string' &&
    typeof from === 'number' &&
    typeof events === 'number' &&
    typeof version === 'number'
  if (!isWhole) throw new DamagedError(path, 'has no head of a known form')
  return { format, id, from, events, version }
}

/** The change a line holds. The sum may be right and the line not ours. @throws DamagedError */
export function changeOf(line: LogLine): Change {
  const value = line.json()
  if (isChange(value)) return value
  const position = line.offset.toLocaleString('en')
  throw new DamagedError(line.path, `no record of a known form at position ${position}`)
}

/** The line between two positions; undefined unless it checks. */
export function lineAt(
  { path, bytes }: LogBytes,
  offset: number,
  end: number,
): LogLine | undefined {
  const start = offset + SUM_LENGTH
  if (end <= start) return undefined
  const payload = bytes.subarray(start, end)
  const sum = bytes.toString('latin1', offset, start - 1)
  if (sum !== sumOf(payload)) return undefined
  const blank = payload.indexOf(' ')
  return {
    path,
    number: Number(payload.toString('latin1', 0, blank)),
    offset,
    json: () => parsed(payload.toString('utf8', blank + 1)),
  }
}

/**
 * What follows the whole lines is either an append that was cut off, or damage. An append that was cut
 * off is the last thing in the file, and lacks its end or has holes where blocks were not written.
 */
function assertTorn({ path, bytes }: LogBytes, offset: number): void {
  const end = bytes.indexOf(NEWLINE, offset)
  const rest = bytes.subarray(offset)
  const isCut = end < 0 || rest.includes(NUL)
  if (isCut && !hasLineAfter({ path, bytes }, end)) return
  throw new DamagedError(path, `wrong checksum at position ${offset.toLocaleString('en')}`)
}

function hasLineAfter(log: LogBytes, newline: number): boolean {
  const { bytes } = log
  for (let before = newline; before >= 0 && before + 1 < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, before + 1)
    if (end < 0) return false
    if (lineAt(log, before + 1, end) !== undefined) return true
    before = end
  }
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sumOf(payload: string | Buffer): string {
  return crc32(payload).toString(16).padStart(8, '0')
}
