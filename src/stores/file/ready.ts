import { ThreadLockedError } from '../../core/errors.ts'
import type { ThreadState } from '../thread-state.ts'
import type { HeldThread } from './held-thread.ts'
import { holdThread, type Taker } from './holding.ts'
import type { ThreadFiles } from './layout.ts'
import { openEntries, readSummary, type OpenEntry } from './listing.ts'
import { ownerLiveness, readOwner } from './lock-owner.ts'
import type { Surroundings } from './surroundings.ts'
import { isDamage } from './thread-reader.ts'

/**
 * Takes the threads that are ready and due, or whose holder is gone.
 * @yields each, held
 */
export async function* takeReady(around: Surroundings, taker: Taker): AsyncGenerator<HeldThread> {
  for (const entry of fromAnywhere(openEntries(around.layout))) {
    const held = await takeIfReady(around, entry, taker)
    if (held !== undefined) yield held
  }
}

async function takeIfReady(
  around: Surroundings,
  entry: OpenEntry,
  taker: Taker,
): Promise<HeldThread | undefined> {
  const files = around.layout.filesNamed(entry.name)
  if (entry.isLocked && isRun(files)) return undefined
  try {
    const seen = await readSummary(files, around.disk, entry)
    if (seen === undefined || !isReady(around, seen)) return undefined
    const held = await holdThread(around, files, { ...taker, threadId: seen.id })
    if (held === undefined || isReady(around, await held.withInbox())) return held
    held.giveUp()
    return undefined
  } catch (error) {
    // Somebody else was quicker; or it is damaged, which lists say.
    if (error instanceof ThreadLockedError || isDamage(error)) return undefined
    throw error
  }
}

function isReady({ clock }: Surroundings, { status, runAfter }: Readonly<ThreadState>): boolean {
  if (status === 'running') return true
  return status === 'ready' && (runAfter === undefined || Date.parse(runAfter) <= clock())
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
