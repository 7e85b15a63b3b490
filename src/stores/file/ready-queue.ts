import { ThreadLockedError } from '../../core/errors.ts'
import { isClosed, type ThreadState } from '../thread-state.ts'
import { sameStamp, stampOf, type FileStamp } from './document.ts'
import type { HeldThread } from './held-thread.ts'
import { holdThread, type Taker } from './holding.ts'
import type { ThreadFiles } from './layout.ts'
import { openEntries, readSummary, type OpenEntry } from './listing.ts'
import { ownerLiveness, readOwner } from './lock-owner.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage } from './thread-reader.ts'

/** Finds what workers can run. Every look goes over all open threads, but reads only what has changed. */
export class ReadyQueue {
  readonly #around: Surroundings
  /** Logs of threads that only wait, as they were when that was seen. */
  readonly #idle = new Map<string, FileStamp>()

  constructor(around: Surroundings) {
    this.#around = around
  }

  /**
   * Takes the threads that are ready and due, or whose holder is gone.
   * @yields each, held
   */
  async *take(taker: Taker): AsyncGenerator<HeldThread> {
    for (const entry of fromAnywhere(openEntries(this.#around.layout))) {
      const held = await this.#takeIfReady(entry, taker)
      if (held !== undefined) yield held
    }
  }

  async #takeIfReady(entry: OpenEntry, taker: Taker): Promise<HeldThread | undefined> {
    const files = this.#around.layout.filesNamed(entry.name)
    if (this.#isIdle(entry, files) || (entry.isLocked && isRun(files))) return undefined
    try {
      const log = stampOf(files.log)
      const seen = await readSummary(files, this.#around.disk, entry)
      if (seen === undefined || !this.#isWorth(seen)) {
        this.#note(entry, { log, seen })
        return undefined
      }
      return await this.#hold(files, { ...taker, threadId: seen.id })
    } catch (error) {
      // Somebody else was quicker; or it is damaged, which lists say.
      if (error instanceof ThreadLockedError || isDamage(error)) return undefined
      throw error
    }
  }

  async #hold(
    files: ThreadFiles,
    taker: Taker & { readonly threadId: string },
  ): Promise<HeldThread | undefined> {
    const held = await holdThread(this.#around, files, taker)
    if (held === undefined) return undefined
    const state = await held.withInbox()
    if (!isClosed(state.status) && this.#isWorth(state)) return held
    // One that has ended lies here only if its last holder didn't get to move it.
    if (isClosed(state.status)) await held.settle()
    held.giveUp()
    return undefined
  }

  #isWorth({ status, runAfter }: Readonly<ThreadState>): boolean {
    if (status === 'running' || isClosed(status)) return true
    const isDue = runAfter === undefined || Date.parse(runAfter) <= this.#around.clock()
    return status === 'ready' && isDue
  }

  #isIdle({ name, hasInbox, isLocked }: OpenEntry, files: ThreadFiles): boolean {
    const log = this.#idle.get(name)
    return log !== undefined && !hasInbox && !isLocked && sameStamp(log, stampOf(files.log))
  }

  #note(
    { name, hasInbox }: OpenEntry,
    { log, seen }: { log: FileStamp | undefined; seen: ThreadState | undefined },
  ): void {
    const isWaiting = seen?.status === 'suspended' || seen?.status === 'failed'
    if (isWaiting && log !== undefined && !hasInbox) this.#idle.set(name, log)
    else this.#idle.delete(name)
  }
}

function isRun({ lock }: ThreadFiles): boolean {
  const owner = readOwner(lock)
  return owner !== undefined && ownerLiveness(owner) !== 'gone'
}

/** Workers begin at different places, so that they don't all try the same threads. */
function fromAnywhere<T>(items: readonly T[]): T[] {
  const start = Math.floor(Math.random() * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}
