import {
  AlreadyAnsweredError,
  InterruptTimeoutError,
  UnknownInterruptError,
} from '../core/errors.ts'
import type { Interrupt } from '../core/interrupt.ts'
import type { Handler } from './handler.ts'

export type ReviewStatus = 'pending' | 'approved' | 'rejected' | 'completed' | 'cancelled'

/** A question as a case on somebody's desk, with what became of it. */
export interface Review {
  readonly id: string
  readonly threadId: string
  readonly question: Interrupt
  readonly status: ReviewStatus
  /** What was given with the decision. */
  readonly data?: unknown
}

const OUTCOMES: Readonly<Record<string, ReviewStatus>> = {
  approve: 'approved',
  reject: 'rejected',
  cancel: 'cancelled',
}

/** The cases of a handler: what is pending, and what became of the ones that were decided here. */
export class Reviews {
  readonly #handler: Handler
  readonly #cases = new Map<string, Review>()
  readonly #waiters = new Map<string, Set<(review: Review) => void>>()

  constructor(handler: Handler) {
    this.#handler = handler
  }

  /** Cases that wait for a decision. */
  async list(threadId?: string): Promise<Review[]> {
    const open = await this.#handler.listPending(threadId)
    return open.map((question) => this.#open(question))
  }

  /** A case, decided or not. */
  async get(id: string): Promise<Review | undefined> {
    const known = this.#cases.get(id)
    if (known !== undefined && known.status !== 'pending') return known
    return (await this.list()).find((review) => review.id === id) ?? known
  }

  /**
   * Decides a case: `approve` and `reject` an approval (data is the reason), `submit` gives data, `cancel`
   * takes it away; any other action completes it with data.
   * @throws UnknownInterruptError, AlreadyAnsweredError, InvalidAnswerError
   */
  async resolve(id: string, action: string, data?: unknown): Promise<Review> {
    const review = await this.get(id)
    if (review === undefined) throw new UnknownInterruptError(id, [])
    if (review.status !== 'pending') throw new AlreadyAnsweredError(id, {})
    const { question, threadId } = review
    if (action === 'cancel') await this.#handler.cancel(threadId, reasonOf(data), id)
    else await this.#handler.resume(threadId, { [id]: answerOf(question, action, data) })
    const decided: Review = {
      ...review,
      status: OUTCOMES[action] ?? 'completed',
      ...(data === undefined ? {} : { data }),
    }
    this.#cases.set(id, decided)
    for (const tell of this.#waiters.get(id) ?? []) tell(decided)
    this.#waiters.delete(id)
    return decided
  }

  /** Resolves when a case is decided here, at once if it is. @throws InterruptTimeoutError after `timeoutMs` */
  async wait(id: string, timeoutMs?: number): Promise<Review> {
    const review = await this.get(id)
    if (review === undefined) throw new UnknownInterruptError(id, [])
    if (review.status !== 'pending') return review
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(id) ?? new Set()
      this.#waiters.set(id, waiters)
      const tell = (decided: Review): void => {
        clearTimeout(timer)
        resolve(decided)
      }
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => {
              waiters.delete(tell)
              reject(new InterruptTimeoutError(id, `the end of ${timeoutMs} ms`))
            }, timeoutMs)
      waiters.add(tell)
    })
  }

  #open(question: Interrupt): Review {
    const { id, threadId } = question
    const review: Review = { id, threadId, question, status: 'pending' }
    this.#cases.set(id, review)
    return review
  }
}

function answerOf({ kind }: Interrupt, action: string, data: unknown): unknown {
  if (action === 'approve') return kind === 'approval' ? true : (data ?? true)
  if (action !== 'reject') return data
  if (kind !== 'approval') return data ?? false
  return data === undefined ? false : { approved: false, reason: reasonOf(data) }
}

function reasonOf(data: unknown): string {
  return typeof data === 'string' ? data : 'cancelled'
}
