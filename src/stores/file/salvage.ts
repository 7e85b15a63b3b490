// Finds the last good version of a thread in whatever of its files is left: any document that reads is a
// base, and every record whose checksum holds may follow it, as long as none is missing in between.

import { join } from 'node:path'

import { fold } from '../change-history.ts'
import { isClosed, type ThreadState } from '../thread-state.ts'
import type { Disk } from './disk.ts'
import type { ThreadDocument } from './document-text.ts'
import { readDocument } from './document.ts'
import { fileNameOf } from './file-name.ts'
import type { ThreadFiles } from './layout.ts'
import { changeOf, type LogHeader, type LogLine } from './log-record.ts'
import { salvageLog, unlessNewer, type SalvagedLog } from './salvaged-log.ts'
import { numbersIn } from './segments.ts'

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
  /** No version above this was ever made, as far as anything left tells. */
  readonly lastVersion: number
}

/** The newest version up to record `limit` that can be put together. @throws NewerFormatError */
export async function salvage(
  files: ThreadFiles,
  disk: Disk,
  limit = Infinity,
): Promise<Salvage | undefined> {
  const current = ownLog(files, files.log)
  const records = recordsOf([...olderLogs(files), current])
  const bases = await basesOf(files, disk, { records, limit })
  const best = bestOf(bases, records, limit)
  const header = best && headOf(best)
  if (best === undefined || header === undefined) return undefined
  const { base, lines } = best
  const state = fold(lines.map(changeOf), base.document?.state)
  if (state === undefined) return undefined
  const through = base.through + lines.length
  const isCut = isCutAfter(through, { current, numbers: records.keys(), state })
  const lastVersion = lastVersionOf(state, records.values(), current)
  return { state, through, header, records: lines, isCut, lastVersion }
}

interface Best {
  readonly base: Base
  readonly lines: readonly LogLine[]
}

function olderLogs(files: ThreadFiles): (SalvagedLog | undefined)[] {
  return numbersIn(files.history, '.log').map((from) =>
    ownLog(files, join(files.history, `${from}.log`)),
  )
}

function recordsOf(logs: readonly (SalvagedLog | undefined)[]): Map<number, LogLine> {
  const records = new Map<number, LogLine>()
  for (const log of logs) {
    for (const line of log?.records ?? []) records.set(line.number, line)
  }
  return records
}

/** A line that does not check may have been a commit too. */
function lastVersionOf(
  state: ThreadState,
  records: Iterable<LogLine>,
  current: SalvagedLog | undefined,
): number {
  let { version } = state
  for (const line of records) version = Math.max(version, versionOf(line))
  return version + (current?.brokenLines ?? 0)
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
): Best | undefined {
  let best: Best | undefined
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

function headOf({ base, lines }: Best): LogHeader | undefined {
  const { through, document } = base
  const [first] = lines
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

function versionOf(line: LogLine): number {
  const change = changeOf(line)
  return change.kind === 'commit' ? change.version : 0
}
