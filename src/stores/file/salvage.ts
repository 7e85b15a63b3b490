// Finds the last good version of a thread in whatever of its files is left: any document that reads is a
// base, and every record whose checksum holds may follow it, as long as none is missing in between.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import { fold } from '../change-history.ts'
import { isClosed, type ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import type { ThreadDocument } from './document-text.ts'
import { readDocument, stampOf } from './document.ts'
import { fileNameOf } from './file-name.ts'
import { isObject } from './json-file.ts'
import type { ThreadFiles } from './layout.ts'
import { changeOf, headerOf, lineAt, type LogHeader, type LogLine } from './log-record.ts'
import { numbersIn } from './segments.ts'
import { reasonOf, unlessMissing } from './store-error.ts'

/** What of a log still checks. */
export interface SalvagedLog {
  readonly path: string
  readonly header: LogHeader | undefined
  /** Whole records, also behind a gap. */
  readonly records: readonly LogLine[]
  /** Where something is that is neither a record nor an append that was cut off. */
  readonly faults: readonly number[]
}

/** The last good version of a thread. */
export interface Salvage {
  readonly state: ThreadState
  readonly through: number
  /** What a log needs to go on from the base. */
  readonly header: LogHeader
  /** The records between base and state. */
  readonly records: readonly LogLine[]
  /** True when something came after it, or may have come. */
  readonly isCut: boolean
  /** The highest version anything left speaks of. */
  readonly lastVersion: number
}

const NEWLINE = 10
const NUL = 0

/** Reads what checks of a log; undefined when there is none. @throws NewerFormatError, DamagedError when it can't be opened */
export function salvageLog(path: string): SalvagedLog | undefined {
  const bytes = readBytes(path)
  if (bytes === undefined) return undefined
  const { lines, faults } = sift(bytes)
  const [first] = lines
  const header = first?.offset === 0 ? headIn(path, first) : undefined
  const records = lines.filter((line) => isRecord(line))
  return { path, header, records, faults }
}

/** The records that follow the head of a log without a gap. */
export function denseRecords({ header, records }: SalvagedLog): readonly LogLine[] {
  if (header === undefined) return []
  const gap = records.findIndex(({ number }, index) => number !== header.from + index + 1)
  return gap < 0 ? records : records.slice(0, gap)
}

/** The newest version up to record `limit` that can be put together. @throws NewerFormatError */
export async function salvage(
  files: ThreadFiles,
  disk: Disk,
  limit = Infinity,
): Promise<Salvage | undefined> {
  const current = ownLog(files, files.log)
  const older = numbersIn(files.history, '.log').map((from) =>
    ownLog(files, join(files.history, `${from}.log`)),
  )
  const records = new Map<number, LogLine>()
  for (const log of [...older, current]) {
    for (const line of log?.records ?? []) records.set(line.number, line)
  }
  const bases = await basesOf(files, disk, { records, limit })
  const best = bestOf(bases, records, limit)
  if (best === undefined) return undefined
  const { base, lines } = best
  const header = headOf(base, lines)
  const through = base.through + lines.length
  const state = fold(lines.map(changeOf), base.document?.state)
  if (header === undefined || state === undefined) return undefined
  const isCut = isCutAfter(through, { current, numbers: records.keys(), state })
  const lastVersion = Math.max(state.version, ...[...records.values()].map(versionOf))
  return { state, through, header, records: lines, isCut, lastVersion }
}

interface Base {
  readonly through: number
  readonly document: ThreadDocument | undefined
}

async function basesOf(
  files: ThreadFiles,
  disk: Disk,
  { records, limit }: { records: ReadonlyMap<number, LogLine>; limit: number },
): Promise<Base[]> {
  const older = numbersIn(files.history, '.json').map((name) => join(files.history, `${name}.json`))
  const bases: Base[] = []
  const first = records.get(1)
  const creation = first && changeOf(first)
  if (creation?.kind === 'create' && fileNameOf(creation.id) === files.name)
    bases.push({ through: 0, document: undefined })
  for (const path of [...older, files.done, files.document]) {
    const document = await readDocument(path, disk).catch(unlessNewer)
    if (document === undefined || fileNameOf(document.state.id) !== files.name) continue
    if (document.through <= limit) bases.push({ through: document.through, document })
  }
  return bases
}

function bestOf(
  bases: readonly Base[],
  records: ReadonlyMap<number, LogLine>,
  limit: number,
): { readonly base: Base; readonly lines: readonly LogLine[] } | undefined {
  let best: { readonly base: Base; readonly lines: readonly LogLine[] } | undefined
  for (const base of bases) {
    const lines = following(base.through, records, limit)
    const reach = base.through + lines.length
    const known = best === undefined ? -1 : best.base.through + best.lines.length
    if (reach > known || (reach === known && base.through > (best?.base.through ?? 0)))
      best = { base, lines }
  }
  return best
}

function following(
  after: number,
  records: ReadonlyMap<number, LogLine>,
  limit: number,
): readonly LogLine[] {
  const lines: LogLine[] = []
  for (let number = after + 1; number <= limit; number++) {
    const line = records.get(number)
    if (line === undefined) break
    lines.push(line)
  }
  return lines
}

function headOf({ through, document }: Base, [first]: readonly LogLine[]): LogHeader | undefined {
  if (document !== undefined) {
    const { id, events, version } = document.state
    return { format: 1, id, from: through, events, version }
  }
  const creation = first && changeOf(first)
  if (creation?.kind !== 'create') return undefined
  return { format: 1, id: creation.id, from: 0, events: 0, version: 0 }
}

/** In doubt it is: nobody can tell what was in a log that is gone. */
function isCutAfter(
  through: number,
  left: {
    readonly current: SalvagedLog | undefined
    readonly numbers: Iterable<number>
    readonly state: ThreadState
  },
): boolean {
  for (const number of left.numbers) if (number > through) return true
  const { current, state } = left
  if (current === undefined) return !isClosed(state.status)
  const last = current.records.find(({ number }) => number === through)
  if (last !== undefined) return current.faults.some((offset) => offset > last.offset)
  return current.header?.from !== through || current.faults.length > 0
}

function ownLog(files: ThreadFiles, path: string): SalvagedLog | undefined {
  try {
    const log = salvageLog(path)
    const isOther = log?.header !== undefined && fileNameOf(log.header.id) !== files.name
    return isOther ? undefined : log
  } catch (error) {
    return unlessNewer(error)
  }
}

function sift(bytes: Buffer): { readonly lines: LogLine[]; readonly faults: number[] } {
  const lines: LogLine[] = []
  const faults: number[] = []
  let fault: number | undefined
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, offset)
    const line = end < 0 ? undefined : lineAt(bytes, offset, end)
    if (line === undefined) fault ??= offset
    else {
      if (fault !== undefined) faults.push(fault)
      fault = undefined
      lines.push(line)
    }
    offset = end < 0 ? bytes.length : end + 1
  }
  if (fault !== undefined && !isTorn(bytes, fault)) faults.push(fault)
  return { lines, faults }
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

function isRecord(line: LogLine): boolean {
  const value = line.json()
  return isObject(value) && 'kind' in value
}

function versionOf(line: LogLine): number {
  const change = changeOf(line)
  return change.kind === 'commit' ? change.version : 0
}

/** What a newer hexagon wrote is nothing to repair. */
function unlessNewer(error: unknown): undefined {
  if (error instanceof DamagedError) return undefined
  throw error
}

function readBytes(path: string): Buffer | undefined {
  if (stampOf(path) === undefined) return undefined
  try {
    return unlessMissing(() => readFileSync(path))
  } catch (error) {
    if (error instanceof NewerFormatError) throw error
    throw new DamagedError(path, `can't be read: ${reasonOf(error)}`)
  }
}
