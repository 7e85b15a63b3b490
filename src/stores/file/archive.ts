// Threads of a folder as archives. Reading takes no lock, so that a folder that may only be read can be
// copied too; a thread that changes meanwhile is read again.
//
// Invariants:
//   1. What makes a written thread one of the store is one rename, and all of it is on the disk before.

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { DamagedError, ThreadExistsError, ThreadLockedError } from '../../core/errors.ts'
import {
  isSameArchive,
  isSameState,
  startOf,
  type Archive,
  type Stretch,
  type ThreadArchive,
} from '../archive.ts'
import { fold } from '../change-history.ts'
import { assertThreadId } from '../thread-id.ts'
import { isAtRest, isClosed } from '../thread-state.ts'
import { logName, newLog, ordered } from './compaction.ts'
import { Disk, type OnFaultPoint } from './disk.ts'
import { sameStamp, stampOf, writeDocument } from './document.ts'
import { StoreFolder, type StoredTexts } from './folder.ts'
import { assertSameThread, holdThread, lockThread, mayExist } from './holding.ts'
import { applyInbox, newsOf, readInbox } from './inbox.ts'
import { FORMAT } from './json-file.ts'
import { Layout, type ThreadFiles } from './layout.ts'
import { leaseIn, readOwner } from './lock-owner.ts'
import { Locks } from './lock.ts'
import type { LogFile } from './log-file.ts'
import { changesAfter } from './log-file.ts'
import { lineOf, type LogHeader } from './log-record.ts'
import { replaceFile } from './replacement.ts'
import { baseOf, logsOf } from './segments.ts'
import type { Surroundings } from './surroundings.ts'
import { readThread } from './thread-reader.ts'
import { writeDescriptor } from './waiting.ts'

const TRIES = 20
const OWNER = 'copy'

/** What an archive over a folder is made with. */
export interface FileArchiveSettings {
  readonly createdBy?: string
  /** `sealed` when whoever copies has a key, `plain` when not. */
  readonly texts?: StoredTexts
  /** Called between any two effects on the disk; for tests. */
  readonly onFaultPoint?: OnFaultPoint
}

/** The threads of a store's folder. */
export class FileArchive implements Archive {
  readonly #around: Surroundings

  constructor(
    root: string,
    { createdBy = 'hexagon', texts = 'any', onFaultPoint }: FileArchiveSettings = {},
  ) {
    const layout = new Layout(root)
    const disk = new Disk(layout.temp, onFaultPoint)
    const folder = new StoreFolder(layout, disk, { createdBy, texts })
    const locks = new Locks(disk)
    this.#around = { layout, disk, folder, locks, clock: Date.now, maxInlineBytes: Infinity }
  }

  async read(threadId: string): Promise<ThreadArchive | undefined> {
    assertThreadId(threadId)
    const { folder, layout } = this.#around
    const files = layout.filesOf(threadId)
    if (!folder.exists()) return undefined
    for (let tries = 0; tries < TRIES; tries++) {
      assertNotRun(files, threadId)
      const before = stampsOf(files)
      const archive = await this.#attempt(files, threadId)
      assertNotRun(files, threadId)
      if (stampsOf(files).every((stamp, index) => sameStamp(stamp, before[index]))) return archive
    }
    throw new DamagedError(files.document, 'is being replaced without end')
  }

  async write(thread: ThreadArchive): Promise<'written' | 'same'> {
    const { id, status } = thread.state
    const { folder, layout } = this.#around
    await folder.ensure()
    const files = layout.filesOf(id)
    const existing = mayExist(files) ? await this.read(id) : undefined
    if (existing !== undefined) {
      if (isSameArchive(existing, thread)) return 'same'
      throw new ThreadExistsError(id, status)
    }
    const lock = lockThread(this.#around, files, { threadId: id, owner: OWNER })
    try {
      if (mayExist(files)) throw new ThreadExistsError(id, status)
      removeLeftovers(files)
      const only = onlyLog(thread)
      if (only === undefined) await this.#writeParts(files, thread)
      else await writeStretch(this.#around.disk, files.log, { id, stretch: only })
    } finally {
      lock.release()
    }
    await this.#settle(files, id)
    return 'written'
  }

  async close(): Promise<void> {
    this.#around.locks.close()
    this.#around.disk.close()
  }

  async #attempt(files: ThreadFiles, threadId: string): Promise<ThreadArchive | undefined> {
    const { disk } = this.#around
    const found = await readThread(files, disk, { withInbox: false })
    if (found === undefined) return undefined
    assertSameThread(files, found, threadId)
    const stretches = await this.#stretchesOf(files)
    const inbox = readInbox(files.inbox)
    const news = newsOf(found.state, inbox)
    if (news === undefined) return { state: found.state, through: found.through, stretches }
    applyInbox(found.state, inbox)
    const last = stretches.at(-1)
    const changes = [...(last?.changes ?? []), news]
    const through = found.through + 1
    return {
      state: found.state,
      through,
      stretches: [...stretches.slice(0, -1), { ...last, changes }],
    }
  }

  async #stretchesOf(files: ThreadFiles): Promise<Stretch[]> {
    const stretches: Stretch[] = []
    let through: number | undefined
    for (const log of [...logsOf(files)].toReversed()) {
      const { from } = log.header
      const changes = [...changesAfter(log, from)]
      const last = stretches.at(-1)
      if (last === undefined || through !== from) {
        stretches.push({ ...(await this.#baseOf(files, log)), changes })
      } else {
        stretches[stretches.length - 1] = { ...last, changes: [...last.changes, ...changes] }
      }
      ;({ through } = log)
    }
    return stretches
  }

  async #baseOf(files: ThreadFiles, { header }: LogFile): Promise<Pick<Stretch, 'base'>> {
    const { from: number, events, version } = header
    if (number === 0) return {}
    const state = await baseOf(files, this.#around.disk, number)
    return { base: { number, events, version, ...(state === undefined ? {} : { state }) } }
  }

  /** The past first, then the document, which makes it a thread; last the log it goes on in. */
  async #writeParts(
    files: ThreadFiles,
    { state, through, stretches }: ThreadArchive,
  ): Promise<void> {
    const { disk } = this.#around
    const { id, events, version } = state
    for (const stretch of stretches) {
      const path = join(files.history, logName(startOf(stretch)))
      await writeStretch(disk, path, { id, stretch })
      const base = stretch.base?.state
      const kept = join(files.history, `${ordered(startOf(stretch))}.json`)
      if (base !== undefined)
        await writeDocument(kept, disk, { state: base, through: startOf(stretch) })
    }
    if (isClosed(state.status)) {
      await writeDocument(files.done, disk, { state, through })
      return
    }
    await writeDocument(files.document, disk, { state, through })
    const header = { format: FORMAT, id, from: through, events, version }
    const log = await newLog(files, disk, { header })
    log.close()
    if (isAtRest(state.status)) writeDescriptor(files, state)
  }

  /** Puts the files where they belong. Whoever takes the thread first has done it as well. */
  async #settle(files: ThreadFiles, threadId: string): Promise<void> {
    const found = await readThread(files, this.#around.disk, { withInbox: false })
    if (found === undefined || found.isDone) return
    const held = await holdThread(this.#around, files, { threadId, owner: OWNER }).catch(
      (error: unknown) => {
        if (error instanceof ThreadLockedError) return undefined
        throw error
      },
    )
    if (held === undefined) return
    await held.settle()
    held.giveUp()
  }
}

async function writeStretch(
  disk: Disk,
  path: string,
  { id, stretch }: { readonly id: string; readonly stretch: Stretch },
): Promise<void> {
  const from = startOf(stretch)
  const { events = 0, version = 0 } = stretch.base ?? {}
  const header: LogHeader = { format: FORMAT, id, from, events, version }
  const lines = stretch.changes.map((change, index) => lineOf(from + index + 1, change))
  await replaceFile(disk, path, Buffer.concat([lineOf(from, header), ...lines]))
}

/** The stretch that is all there is of a thread: its log needs nothing beside it. */
function onlyLog({ state, stretches }: ThreadArchive): Stretch | undefined {
  const [stretch, ...rest] = stretches
  if (stretch === undefined || rest.length > 0 || stretch.base !== undefined) return undefined
  // A document that was changed by hand says something else than the log.
  return isSameState(fold(stretch.changes), state) ? stretch : undefined
}

function assertNotRun({ lock }: ThreadFiles, threadId: string): void {
  const owner = readOwner(lock)
  const lease = owner && leaseIn(owner)
  if (lease?.alive === true) throw new ThreadLockedError(threadId, lease.holder)
}

function stampsOf({ document, log, done, inbox }: ThreadFiles): ReturnType<typeof stampOf>[] {
  return [document, log, done, inbox].map(stampOf)
}

/** What a copy that was cut off may have left, or a deletion. */
function removeLeftovers({ inbox, waiting, history }: ThreadFiles): void {
  for (const path of [inbox, waiting, history]) rmSync(path, { recursive: true, force: true })
}
