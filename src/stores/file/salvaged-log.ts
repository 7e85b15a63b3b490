import { DamagedError } from '../../core/errors.ts'
import { isChange } from '../change-form.ts'
import { headerOf, lineAt, type LogBytes, type LogHeader, type LogLine } from './log-record.ts'
import { readOwn } from './own-file.ts'

/** What of a log still checks. */
export interface SalvagedLog {
  readonly path: string
  readonly header: LogHeader | undefined
  /** Whole records, also behind a gap. */
  readonly records: readonly LogLine[]
  /** Where something is that is neither a record nor an append that was cut off. */
  readonly faults: readonly number[]
  /** How many lines do not check. */
  readonly brokenLines: number
}

const NEWLINE = 10
const NUL = 0

/** Reads what checks of a log; undefined when there is none. @throws NewerFormatError, DamagedError when it can't be opened */
export function salvageLog(path: string): SalvagedLog | undefined {
  const bytes = readOwn(path)
  if (bytes === undefined) return undefined
  const { lines, faults, brokenLines } = sift({ path, bytes })
  const [first] = lines
  const header = first?.offset === 0 ? headIn(path, first) : undefined
  const records = lines.filter((line) => isRecord(line))
  return { path, header, records, faults, brokenLines }
}

/** The records that follow the head of a log without a gap. */
export function denseRecords({ header, records }: SalvagedLog): readonly LogLine[] {
  if (header === undefined) return []
  const gap = records.findIndex(({ number }, index) => number !== header.from + index + 1)
  return gap < 0 ? records : records.slice(0, gap)
}

/** What a newer hexagon wrote is nothing to repair. */
export function unlessNewer(error: unknown): undefined {
  if (error instanceof DamagedError) return undefined
  throw error
}

function sift(log: LogBytes): {
  readonly lines: LogLine[]
  readonly faults: number[]
  readonly brokenLines: number
} {
  const { bytes } = log
  const lines: LogLine[] = []
  const faults: number[] = []
  let fault: number | undefined
  let brokenLines = 0
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, offset)
    const line = end < 0 ? undefined : soundLineAt(log, offset, end)
    if (line === undefined) {
      fault ??= offset
      brokenLines++
    } else {
      if (fault !== undefined) faults.push(fault)
      fault = undefined
      lines.push(line)
    }
    offset = end < 0 ? bytes.length : end + 1
  }
  if (fault !== undefined && !isTorn(bytes, fault)) faults.push(fault)
  return { lines, faults, brokenLines }
}

function isTorn(bytes: Buffer, offset: number): boolean {
  return bytes.indexOf(NEWLINE, offset) < 0 || bytes.includes(NUL, offset)
}

function headIn(path: string, line: LogLine): LogHeader | undefined {
  try {
    return isRecord(line) ? undefined : headerOf(path, line)
  } catch (error) {
    return unlessNewer(error)
  }
}

/** A line in the place of the head may be one; anywhere else it is a change, or nothing. */
function soundLineAt(log: LogBytes, offset: number, end: number): LogLine | undefined {
  const line = lineAt(log, offset, end)
  return line === undefined || offset === 0 || isRecord(line) ? line : undefined
}

function isRecord(line: LogLine): boolean {
  return isChange(line.json())
}
