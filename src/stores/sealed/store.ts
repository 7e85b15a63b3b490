// A store whose texts are sealed before they reach the store inside, and opened when they come out. To the store
// inside they are texts like all others, so it keeps every promise as it does without a key.

import {
  AlreadyAnsweredError,
  SealedError,
  UnknownInterruptError,
  type QuestionSummary,
} from '../../core/errors.ts'
import type {
  AnswerRequest,
  CheckpointInfo,
  Claimant,
  Claimed,
  Commit,
  Committed,
  Damage,
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
import { assertSizes } from '../commit-plan.ts'
import { hashOf } from '../memory-blobs.ts'
import { messageIn } from '../question-check.ts'
import { isSealed, type Cipher, type Place } from './cipher.ts'
import { opening, sealing, type TextMap } from './sealed-text.ts'
import { ThreadTexts } from './thread-texts.ts'

/** The place of bytes nobody knows yet under which name they will lie. */
export const BLOB: Place = ['blob']

export class SealedStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly #inside: Store
  readonly #cipher: Cipher
  readonly #seal: TextMap
  readonly #open: TextMap

  constructor(
    inside: Store,
    { cipher, maxInlineBytes }: { readonly cipher: Cipher; readonly maxInlineBytes: number },
  ) {
    this.#inside = inside
    this.#cipher = cipher
    this.#seal = sealing(cipher)
    this.#open = opening(cipher)
    this.capabilities = { ...inside.capabilities, maxInlineBytes }
  }

  init(): Promise<void> {
    return this.#inside.init()
  }

  close(): Promise<void> {
    return this.#inside.close()
  }

  async create(thread: NewThread): Promise<{ readonly version: number; readonly fence: number }> {
    assertSizes(thread.records, this.capabilities.maxInlineBytes)
    return this.#inside.create(this.#sealed(thread.id).newThread(thread))
  }

  async load(threadId: string): Promise<StoredThread | undefined> {
    const thread = await this.#inside.load(threadId)
    return thread && this.#opened(threadId).thread(thread)
  }

  async commit(batch: Commit): Promise<Committed> {
    const { threadId, expectVersion, puts } = batch
    assertSizes(puts ?? [], this.capabilities.maxInlineBytes)
    const sealed = this.#sealed(threadId).commit(batch, expectVersion + 1)
    return this.#tell(threadId, () => this.#inside.commit(sealed))
  }

  async answer(request: AnswerRequest): Promise<{ readonly woken: boolean }> {
    const { threadId } = request
    const texts = this.#sealed(threadId)
    const answers = request.answers.map(({ id, value }) => ({ id, value: texts.value(id, value) }))
    const sealed = { ...request, answers, source: texts.source(request.source) }
    return this.#tell(threadId, () => this.#inside.answer(sealed))
  }

  async takeAnswers(threadId: string, fence: number): Promise<readonly GivenAnswer[]> {
    return this.#opened(threadId).given(await this.#inside.takeAnswers(threadId, fence))
  }

  async claim(threadId: string, claimant: Claimant): Promise<Claimed> {
    const claimed = await this.#inside.claim(threadId, claimant)
    try {
      return this.#opened(threadId).thread(claimed)
    } catch (error) {
      await this.#inside.release(threadId, claimed.fence)
      throw error
    }
  }

  async claimReady(claimant: Claimant, limit: number): Promise<readonly Claimed[]> {
    const opened: Claimed[] = []
    for (const claimed of await this.#inside.claimReady(claimant, limit)) {
      const { id } = claimed.head
      try {
        opened.push(this.#opened(id).thread(claimed))
      } catch (error) {
        // Lists say what is wrong with it.
        if (!(error instanceof SealedError)) throw error
        await this.#inside.release(id, claimed.fence)
      }
    }
    return opened
  }

  heartbeat(
    claimant: Claimant,
    held: readonly { readonly id: string; readonly fence: number }[],
  ): Promise<readonly string[]> {
    return this.#inside.heartbeat(claimant, held)
  }

  release(
    threadId: string,
    fence: number,
    options?: { readonly runAfter?: string },
  ): Promise<boolean> {
    return this.#inside.release(threadId, fence, options)
  }

  async pending(query?: PendingQuery): Promise<Page<PendingThread>> {
    const page = await this.#inside.pending(query)
    return openPage(page, (thread) => {
      const texts = this.#opened(thread.head.id)
      const { head, open } = thread
      return { ...thread, head: texts.head(head), open: open.map((row) => texts.row(row)) }
    })
  }

  async threads(query?: ThreadQuery): Promise<Page<ThreadHead>> {
    const page = await this.#inside.threads(query)
    return openPage(page, (head) => this.#opened(head.id).head(head))
  }

  async events(
    threadId: string,
    query?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly StoredEvent[]> {
    const texts = this.#opened(threadId)
    return (await this.#inside.events(threadId, query)).map((event) => texts.event(event))
  }

  history(
    threadId: string,
    query?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CheckpointInfo[]> {
    return this.#inside.history(threadId, query)
  }

  async checkpointAt(threadId: string, version: number): Promise<StoredThread | undefined> {
    const thread = await this.#inside.checkpointAt(threadId, version)
    return thread && this.#opened(threadId).thread(thread)
  }

  prune(threadId: string, keep: number): Promise<Pruned> {
    return this.#inside.prune(threadId, keep)
  }

  delete(threadId: string): Promise<boolean> {
    return this.#inside.delete(threadId)
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    return this.#inside.putBlob(this.#cipher.sealAlike(bytes, BLOB))
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#inside.getBlob(hash)
    if (bytes === undefined || !isSealed(bytes)) return bytes
    // Sealed anew it keeps its name.
    const place = hashOf(bytes) === hash ? BLOB : blobPlace(hash)
    return new Uint8Array(this.#cipher.open(bytes, place))
  }

  wait(ms: number): Promise<void> {
    return this.#inside.wait(ms)
  }

  #sealed(threadId: string): ThreadTexts {
    return new ThreadTexts(threadId, this.#seal)
  }

  #opened(threadId: string): ThreadTexts {
    return new ThreadTexts(threadId, this.#open)
  }

  /** A refusal lists what is open; what is asked there the store inside can't read. */
  async #tell<T>(threadId: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const isUnknown = error instanceof UnknownInterruptError
      if (!isUnknown && !(error instanceof AlreadyAnsweredError)) throw error
      const id = String(error.details['interruptId'])
      const open = await this.#messages(threadId, error.details['open'])
      if (isUnknown) throw new UnknownInterruptError(id, open)
      const { by, at } = error.details as { readonly by?: string; readonly at?: string }
      throw new AlreadyAnsweredError(id, { by, at }, open)
    }
  }

  async #messages(threadId: string, listed: unknown): Promise<readonly QuestionSummary[]> {
    const open = (listed ?? []) as readonly QuestionSummary[]
    if (open.length === 0) return open
    const rows = (await this.load(threadId))?.interrupts ?? []
    const bodies = new Map(rows.map(({ id, body }) => [id, body]))
    return open.map((one) => ({ ...one, message: messageIn(bodies.get(one.id) ?? '') }))
  }
}

/** The place of a blob that was sealed under the name it has already. */
export function blobPlace(hash: string): Place {
  return ['blob', hash]
}

/** One thread that can't be opened hides no other. */
function openPage<T extends ThreadHead | PendingThread>(
  page: Page<T>,
  open: (item: T) => T,
): Page<T> {
  const items: T[] = []
  const damaged: Damage[] = [...page.damaged]
  for (const item of page.items) {
    try {
      items.push(open(item))
    } catch (error) {
      if (!(error instanceof SealedError)) throw error
      const threadId = 'head' in item ? item.head.id : item.id
      const { code, details } = error
      damaged.push({
        threadId,
        file: String(details['file']),
        problem: String(details['problem']),
        code,
      })
    }
  }
  return { ...page, items, damaged }
}
