import type { AnswerSource } from '../core/interrupt.ts'
import type { Claimant, Store } from '../core/store.ts'
import type { ThreadRun } from '../runtime/thread-run.ts'
import { parse, type StoredSource } from './thread-record.ts'

/** How often answers from outside are looked for while a person is being asked. */
const LOOK_MS = 500

/** What a heartbeat keeps alive. */
export interface HeartbeatParts {
  readonly store: Store
  readonly claimant: Claimant
  readonly lease: { readonly id: string; readonly fence: number }
  readonly run: ThreadRun
}

/** Keeps a thread held while it runs, and brings in answers that others gave meanwhile. */
export class Heartbeat {
  readonly #store: Store
  readonly #held: { readonly id: string; readonly fence: number }
  readonly #run: ThreadRun
  readonly #timers: ReturnType<typeof setInterval>[]
  #looking = false

  constructor({ store, claimant, lease, run }: HeartbeatParts) {
    this.#store = store
    this.#held = lease
    this.#run = run
    const beat = setInterval(() => void this.#beat(claimant), claimant.leaseMs / 3)
    const look = setInterval(() => void this.#look(), LOOK_MS)
    this.#timers = [beat, look]
    for (const timer of this.#timers) timer.unref()
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #beat(claimant: Claimant): Promise<void> {
    try {
      const kept = await this.#store.heartbeat(claimant, [this.#held])
      if (kept.length === 0)
        this.#run.cancel('immediate', 'the thread was taken over by another process')
    } catch {
      // The store is away for a moment; the next beat, or the next commit, tells.
    }
  }

  async #look(): Promise<void> {
    if (this.#looking || !this.#run.asker.busy) return
    this.#looking = true
    try {
      for (const { id, answer } of await this.#store.takeAnswers(this.#held.id, this.#held.fence)) {
        const source = parse<StoredSource>(answer.source, `source of ${id}`)
        await this.#run.questions.deliver(id, parse(answer.value, `answer of ${id}`), {
          ...source,
          by: answer.by,
        } satisfies AnswerSource)
      }
    } catch {
      // The commit that follows meets the same store and reports it.
    } finally {
      this.#looking = false
    }
  }
}
