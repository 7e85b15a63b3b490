// The whole store contract over one database file. Every operation that must be atomic is one transaction
// that locks out other writers from its first moment, so nothing can change between a look and a write.

import type { Clock } from '../../core/clock.ts'
import {
  DamagedError,
  StaleFenceError,
  ThreadExistsError,
  UnknownThreadError,
} from '../../core/errors.ts'
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
import { planAnswer } from '../answer-plan.ts'
import type { GivenAnswer } from '../change.ts'
import { planCommit, planCreate, statusAfterRelease } from '../commit-plan.ts'
import { waitForChange } from '../file/change-watch.ts'
import { hashOf } from '../memory-blobs.ts'
import { isSealed } from '../sealed/cipher.ts'
import { assertThreadId } from '../thread-id.ts'
import { storedOf } from '../thread-state.ts'
import { readEvents, readHistory, readVersion } from './change-rows.ts'
import { claimRunnable, claimThread, extendLease, hasRunnable } from './claiming.ts'
import { Database, type OnSqlPoint, type Sql } from './database.ts'
import { newLease } from './lease.ts'
import { listHeads, listPending } from './listing.ts'
import { pruneChanges } from './pruning.ts'
import { markTold, untoldAnswers } from './question-rows.ts'
import { readThreadRow, type ThreadRow } from './thread-rows.ts'
import {
  assertFree,
  createThread,
  knownThread,
  planWith,
  removeThread,
  wholeThread,
  writeChange,
} from './thread.ts'

/** What a store is made of. */
export interface SqliteParts {
  readonly path: string
  readonly clock: Clock
  readonly maxInlineBytes: number
  readonly synchronous: 'full' | 'normal'
  readonly createdBy: string
  /** `sealed` when whoever uses it seals every text. */
  readonly texts: 'plain' | 'sealed'
  readonly onFaultPoint?: OnSqlPoint | undefined
}

const NOTHING = { items: [], damaged: [] }

export class SqliteStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #clock: Clock
  readonly #database: Database

  constructor({ path, clock, maxInlineBytes, ...options }: SqliteParts) {
    this.#clock = clock
    this.#database = new Database(path, options)
    this.capabilities = { name: 'sqlite', multiProcess: true, multiHost: false, maxInlineBytes }
  }

  async init(): Promise<void> {
    await this.#database.ensure()
  }

  async close(): Promise<void> {
    await this.#database.close()
  }

  async create(thread: NewThread): Promise<{ readonly version: number; readonly fence: number }> {
    assertThreadId(thread.id)
    const { maxInlineBytes } = this.capabilities
    return this.#database.write((sql) => {
      const existing = readThreadRow(sql, thread.id)
      if (existing !== undefined) throw new ThreadExistsError(thread.id, existing.state.status)
      const change = planCreate(thread, { at: this.#now(), maxInlineBytes })
      const lease = thread.claim && newLease(thread.claim, this.#clock())
      const { version, fence } = createThread(sql, change, lease).state
      return { version, fence }
    })
  }

  async load(threadId: string): Promise<StoredThread | undefined> {
    assertThreadId(threadId)
    return this.#database.read((sql) => {
      const row = readThreadRow(sql, threadId)
      return row && wholeThread(sql, row, this.#clock())
    })
  }

  async commit(batch: Commit): Promise<Committed> {
    return this.#change(batch.threadId, (sql) => {
      const row = knownThread(sql, batch.threadId)
      this.#assertMayWrite(row, batch.fence)
      const untold = batch.fence === null ? 'every' : untoldIds(sql, batch.threadId)
      const { maxInlineBytes } = this.capabilities
      const context = { at: this.#now(), untold, maxInlineBytes } as const
      const ids = [...questionsIn(batch), ...(untold === 'every' ? [] : untold)]
      const plan = () => planCommit(row.state, batch, context)
      const change = planWith(sql, row, { ids, plan })
      if (batch.release === true) row.lease = undefined
      writeChange(sql, row, change)
      return { version: change.version, status: change.status }
    })
  }

  async answer(request: AnswerRequest): Promise<{ readonly woken: boolean }> {
    return this.#change(request.threadId, (sql) => {
      const row = knownThread(sql, request.threadId)
      const ids = request.answers.map(({ id }) => id)
      const plan = planWith(sql, row, {
        ids,
        plan: () => planAnswer(row.state, request, this.#now()),
      })
      if (plan.kind === 'repeated' || plan.change.answers.length === 0) return { woken: false }
      writeChange(sql, row, plan.change)
      return { woken: plan.woken }
    })
  }

  async takeAnswers(threadId: string, fence: number): Promise<readonly GivenAnswer[]> {
    assertThreadId(threadId)
    const look = (sql: Sql): readonly GivenAnswer[] => {
      const row = knownThread(sql, threadId)
      if (!isHeldBy(row, fence)) throw new StaleFenceError(threadId)
      return untoldAnswers(sql, threadId)
    }
    // A look keeps no writer waiting.
    const found = await this.#database.read(look)
    if (found?.length === 0) return found
    return this.#change(threadId, (sql) => {
      const answers = look(sql)
      markTold(sql, threadId)
      return answers
    })
  }

  async claim(threadId: string, claimant: Claimant): Promise<Claimed> {
    const by = { claimant, now: this.#clock() }
    return this.#change(threadId, (sql) => claimThread(sql, threadId, by))
  }

  async claimReady(claimant: Claimant, limit: number): Promise<readonly Claimed[]> {
    const by = { claimant, now: this.#clock() }
    const isWorthwhile = await this.#database.read((sql) => hasRunnable(sql, by.now))
    if (isWorthwhile !== true) return []
    return this.#database.write((sql) => claimRunnable(sql, limit, by))
  }

  async heartbeat(
    claimant: Claimant,
    held: readonly { readonly id: string; readonly fence: number }[],
  ): Promise<readonly string[]> {
    const by = { claimant, now: this.#clock() }
    if (!this.#database.exists()) return []
    return this.#database.write((sql) =>
      held.filter((lease) => extendLease(sql, lease, by)).map(({ id }) => id),
    )
  }

  async release(
    threadId: string,
    fence: number,
    options: { readonly runAfter?: string } = {},
  ): Promise<boolean> {
    const { runAfter } = options
    if (!this.#database.exists()) return false
    return this.#database.write((sql) => {
      const row = readThreadRow(sql, threadId)
      if (row === undefined || !isHeldBy(row, fence)) return false
      const untold = untoldIds(sql, threadId)
      const plan = () => statusAfterRelease(row.state, { runAfter, untold })
      const status = planWith(sql, row, { ids: untold, plan })
      row.lease = undefined
      writeChange(sql, row, { kind: 'release', at: this.#now(), status, runAfter })
      return true
    })
  }

  async pending(query: PendingQuery = {}): Promise<Page<PendingThread>> {
    const found = await this.#database.read((sql) => listPending(sql, query, this.#clock()))
    return found ?? NOTHING
  }

  async threads(query: ThreadQuery = {}): Promise<Page<ThreadHead>> {
    const found = await this.#database.read((sql) => listHeads(sql, query, this.#clock()))
    return found ?? NOTHING
  }

  async events(
    threadId: string,
    query: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredEvent[]> {
    const { after = 0, limit = Infinity } = query
    const found = await this.#database.read((sql) => readEvents(sql, threadId, { after, limit }))
    return found ?? []
  }

  async history(
    threadId: string,
    query: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly CheckpointInfo[]> {
    const { before = Infinity, limit = Infinity } = query
    const found = await this.#database.read((sql) => readHistory(sql, threadId, { before, limit }))
    return found ?? []
  }

  async checkpointAt(threadId: string, version: number): Promise<StoredThread | undefined> {
    return this.#database.read((sql) => {
      const state = readVersion(sql, threadId, version)
      return state && storedOf(state)
    })
  }

  async prune(threadId: string, keep: number): Promise<Pruned> {
    return this.#change(threadId, (sql) => {
      const row = knownThread(sql, threadId)
      assertFree(row, this.#clock())
      return pruneChanges(sql, row, keep)
    })
  }

  async delete(threadId: string): Promise<boolean> {
    assertThreadId(threadId)
    if ((await this.load(threadId)) === undefined) return false
    return this.#database.write((sql) => {
      const row = readThreadRow(sql, threadId)
      if (row === undefined) return false
      assertFree(row, this.#clock())
      removeThread(sql, threadId)
      return true
    })
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes)
    await this.#database.write((sql) =>
      sql.run('insert into blob values (?, ?) on conflict (hash) do nothing', [hash, bytes]),
    )
    return hash
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    const row = await this.#database.read((sql) =>
      sql.get('select bytes from blob where hash = ?', [hash]),
    )
    const bytes = row?.['bytes']
    if (!(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array)) return undefined
    const blob = new Uint8Array(bytes)
    // What is sealed is checked by who has the key.
    if (hashOf(blob) === hash || isSealed(blob)) return blob
    throw new DamagedError(this.#database.path, `has other bytes under the hash ${hash}`)
  }

  async wait(ms: number): Promise<void> {
    // Whatever is written goes into the log beside the database first.
    await waitForChange(`${this.#database.path}-wal`, ms)
  }

  /** Changes a thread that must be there; where nothing was ever written, nothing is made. */
  async #change<T>(threadId: string, act: (sql: Sql) => T): Promise<T> {
    assertThreadId(threadId)
    if (!this.#database.exists()) throw new UnknownThreadError(threadId)
    return this.#database.write(act)
  }

  #now(): string {
    return new Date(this.#clock()).toISOString()
  }

  #assertMayWrite(row: ThreadRow, fence: number | null): void {
    if (fence !== null) {
      if (!isHeldBy(row, fence)) throw new StaleFenceError(row.state.id)
      return
    }
    assertFree(row, this.#clock())
    // Its holder is gone; without a lease it can't write, should it come back.
    row.lease = undefined
  }
}

/** A lease whose time is over stays in force until somebody else claims. */
function isHeldBy({ state, lease }: ThreadRow, fence: number): boolean {
  return lease !== undefined && state.fence === fence
}

function untoldIds(sql: Sql, threadId: string): readonly string[] {
  return untoldAnswers(sql, threadId).map(({ id }) => id)
}

/** The questions a batch names. */
function questionsIn(batch: Commit): string[] {
  const { open = [], answer = [], consume = [], cancel = [], expire = [] } = batch
  const named = [...open, ...answer].map(({ id }) => id)
  return [...named, ...consume, ...cancel, ...expire]
}
