// The file store: one folder, safe from many processes of one machine. This file says what each
// operation does in which order; the files beside it do it.
//
// Invariants:
//   1. Writing needs the thread's lock, except for answers, which go through the inbox under the mutex.
//   2. `#held` has the threads this store holds, by id; nobody else in this process writes to them.

import type { Clock } from '../../core/clock.ts'
import { StaleFenceError, UnknownThreadError } from '../../core/errors.ts'
import type {
  AnswerRequest,
  CheckpointInfo,
  Claimant,
  Claimed,
  Commit,
  Committed,
  NewThread,
  Page,
  PendingQuery,
  PendingThread,
  Pruned,
  Store,
  StoreCapabilities,
  StoredEvent,
  StoredThread,
  ThreadHead,
  ThreadQuery,
} from '../../core/store.ts'
import type { GivenAnswer } from '../change.ts'
import { nearIds } from '../near-ids.ts'
import { assertThreadId } from '../thread-id.ts'
import { storedOf } from '../thread-state.ts'
import { answerThread } from './answering.ts'
import { getBlob, putBlob } from './blob-folder.ts'
import { waitForChange } from './change-watch.ts'
import { Disk, type OnFaultPoint } from './disk.ts'
import { StoreFolder } from './folder.ts'
import type { HeldThread } from './held-thread.ts'
import { assertSameThread, holdNewThread, holdThread, mayExist, type Taker } from './holding.ts'
import { Layout, type ThreadFiles } from './layout.ts'
import { doneNames, listHeads, listPending, openEntries } from './listing.ts'
import { leaseIn, readOwner } from './lock-owner.ts'
import { Locks } from './lock.ts'
import { pruneThread } from './pruning.ts'
import { ReadyQueue } from './ready-queue.ts'
import { removeThread } from './removal.ts'
import { readEvents, readHistory, readVersion } from './segments.ts'
import type { Surroundings } from './surroundings.ts'
import { readThread } from './thread-reader.ts'

/** What a file store is made with. */
export interface FileStoreSettings {
  readonly clock?: Clock
  readonly maxInlineBytes: number
  readonly createdBy?: string
  readonly onFaultPoint?: OnFaultPoint
  /** `sealed` when whoever uses it seals every text. */
  readonly texts: 'plain' | 'sealed'
}

export class FileStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #around: Surroundings
  readonly #queue: ReadyQueue
  readonly #held = new Map<string, HeldThread>()

  constructor(root: string, settings: FileStoreSettings) {
    const { clock = Date.now, maxInlineBytes, createdBy = 'hexagon', texts } = settings
    const layout = new Layout(root)
    const disk = new Disk(layout.temp, settings.onFaultPoint)
    const folder = new StoreFolder(layout, disk, { createdBy, texts })
    const locks = new Locks(disk)
    this.#around = { layout, disk, locks, folder, clock, maxInlineBytes }
    this.#queue = new ReadyQueue(this.#around)
    this.capabilities = { name: 'file', multiProcess: true, multiHost: false, maxInlineBytes }
  }

  init(): Promise<void> {
    return this.#around.folder.ensure()
  }

  async close(): Promise<void> {
    for (const [id, held] of this.#held) await this.release(id, held.fence)
    this.#around.locks.close()
    this.#around.disk.close()
  }

  async create(thread: NewThread): Promise<{ readonly version: number; readonly fence: number }> {
    const files = this.#filesOf(thread.id)
    await this.#around.folder.ensure()
    const held = await holdNewThread(this.#around, files, thread)
    const { version, fence } = held.state
    if (thread.claim === undefined) held.giveUp()
    else this.#held.set(thread.id, held)
    return { version, fence }
  }

  async load(threadId: string): Promise<StoredThread | undefined> {
    const files = this.#filesOf(threadId)
    if (!this.#around.folder.exists() || !mayExist(files)) return undefined
    const found = await readThread(files, this.#around.disk)
    if (found === undefined) return undefined
    assertSameThread(files, found, threadId)
    const owner = readOwner(files.lock)
    return storedOf(found.state, owner && leaseIn(owner))
  }

  async commit(batch: Commit): Promise<Committed> {
    const { threadId, fence } = batch
    if (fence === null) return this.#edit(batch)
    const held = this.#heldBy(threadId, fence)
    if (held === undefined) throw await this.#notHeld(threadId)
    const committed = await held.commit(batch)
    if (batch.release === true) this.#held.delete(threadId)
    return committed
  }

  async answer(request: AnswerRequest): Promise<{ readonly woken: boolean }> {
    const files = await this.#known(request.threadId)
    return answerThread(this.#around, files, request)
  }

  async takeAnswers(threadId: string, fence: number): Promise<readonly GivenAnswer[]> {
    const held = this.#heldBy(threadId, fence)
    if (held === undefined) throw await this.#notHeld(threadId)
    return held.takeAnswers()
  }

  async claim(threadId: string, claimant: Claimant): Promise<Claimed> {
    const files = await this.#known(threadId)
    const held = await this.#hold(files, { ...takerOf(claimant), threadId })
    return this.#keep(threadId, held, claimant)
  }

  async claimReady(claimant: Claimant, limit: number): Promise<readonly Claimed[]> {
    if (!this.#around.folder.exists()) return []
    await this.#around.folder.ensure()
    const claimed: Claimed[] = []
    for await (const held of this.#queue.take(takerOf(claimant))) {
      claimed.push(await this.#keep(held.state.id, held, claimant))
      if (claimed.length >= limit) break
    }
    return claimed
  }

  async heartbeat(
    claimant: Claimant,
    held: readonly { readonly id: string; readonly fence: number }[],
  ): Promise<readonly string[]> {
    const isOwn = ({ id, fence }: { readonly id: string; readonly fence: number }): boolean =>
      this.#heldBy(id, fence)?.owner === claimant.owner
    return held.filter(isOwn).map(({ id }) => id)
  }

  async release(
    threadId: string,
    fence: number,
    options: { readonly runAfter?: string } = {},
  ): Promise<boolean> {
    const held = this.#heldBy(threadId, fence)
    if (held === undefined) return false
    await held.release(options.runAfter)
    this.#held.delete(threadId)
    return true
  }

  async pending(query: PendingQuery = {}): Promise<Page<PendingThread>> {
    if (!this.#around.folder.exists()) return { items: [], damaged: [] }
    return listPending(this.#around, query)
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadHead>> {
    if (!this.#around.folder.exists()) return { items: [], damaged: [] }
    return listHeads(this.#around, query)
  }

  async events(
    threadId: string,
    query: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredEvent[]> {
    const { after = 0, limit = Infinity } = query
    if (!this.#around.folder.exists()) return []
    return readEvents(this.#filesOf(threadId), { after, limit })
  }

  async history(
    threadId: string,
    query: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CheckpointInfo[]> {
    const { before = Infinity, limit = Infinity } = query
    if (!this.#around.folder.exists()) return []
    return readHistory(this.#filesOf(threadId), { before, limit })
  }

  async checkpointAt(threadId: string, version: number): Promise<StoredThread | undefined> {
    const files = this.#filesOf(threadId)
    if (!this.#around.folder.exists()) return undefined
    const state = await readVersion(files, this.#around.disk, version)
    return state && storedOf(state)
  }

  async prune(threadId: string, keep: number): Promise<Pruned> {
    return pruneThread(this.#around, await this.#known(threadId), { threadId, keep })
  }

  async delete(threadId: string): Promise<boolean> {
    const files = this.#filesOf(threadId)
    return this.#around.folder.exists() && removeThread(this.#around, files, threadId)
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    await this.#around.folder.ensure()
    return putBlob(this.#around.layout.blobs, this.#around.disk, bytes)
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    if (!this.#around.folder.exists()) return undefined
    return getBlob(this.#around.layout.blobs, hash)
  }

  wait(ms: number): Promise<void> {
    return waitForChange(this.#around.layout.threads, ms)
  }

  #filesOf(threadId: string): ThreadFiles {
    assertThreadId(threadId)
    return this.#around.layout.filesOf(threadId)
  }

  /** The files of a thread that is there. @throws UnknownThreadError */
  async #known(threadId: string): Promise<ThreadFiles> {
    const files = this.#filesOf(threadId)
    if (!this.#around.folder.exists() || !mayExist(files)) throw this.#unknown(threadId)
    await this.#around.folder.ensure()
    return files
  }

  #unknown(threadId: string): UnknownThreadError {
    const { layout } = this.#around
    const names = [...openEntries(layout).map(({ name }) => name), ...doneNames(layout)]
    return new UnknownThreadError(threadId, nearIds(threadId, names))
  }

  async #hold(files: ThreadFiles, taker: Taker & { threadId: string }): Promise<HeldThread> {
    const held = await holdThread(this.#around, files, taker)
    if (held === undefined) throw this.#unknown(taker.threadId)
    return held
  }

  async #keep(threadId: string, held: HeldThread, claimant: Claimant): Promise<Claimed> {
    try {
      const claimed = await held.claim(claimant)
      this.#held.set(threadId, held)
      return claimed
    } catch (error) {
      held.giveUp()
      throw error
    }
  }

  async #edit(batch: Commit): Promise<Committed> {
    const { threadId } = batch
    const files = await this.#known(threadId)
    const held = await this.#hold(files, { threadId, owner: 'edit' })
    try {
      return await held.commit(batch)
    } finally {
      held.giveUp()
    }
  }

  /** The thread as this store holds it; forgets one that was lost. */
  #heldBy(threadId: string, fence: number): HeldThread | undefined {
    const held = this.#held.get(threadId)
    if (held?.fence !== fence) return undefined
    if (held.isHeld()) return held
    held.giveUp()
    this.#held.delete(threadId)
    return undefined
  }

  async #notHeld(threadId: string): Promise<Error> {
    const isThere = this.#around.folder.exists() && mayExist(this.#filesOf(threadId))
    return isThere ? new StaleFenceError(threadId) : this.#unknown(threadId)
  }
}

function takerOf({ owner, holder, steal }: Claimant): Taker {
  return { owner, since: holder.since, ...(steal === undefined ? {} : { steal }) }
}
