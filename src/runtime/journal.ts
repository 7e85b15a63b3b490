// A Journal gathers what a run changed and hands it to the store in commits.
//
// Invariants:
//   1. Changes reach the store in the order they were made; a commit is whole or not at all.
//   2. Callers that flush while a commit is under way share the next one (group commit).
//   3. After a failed commit every later flush fails with the same error: nothing goes on unsaved. What others may
//      have been quicker with is saved on its own, so that its refusal takes nothing along.

import { AlreadyAnsweredError, CancelledError, UnknownInterruptError } from '../core/errors.ts'
import type { JsonText, NewInterrupt, StoredAnswer, StoredStatus } from '../core/store.ts'

/** When a commit is waited for: at once, in the background, or only where a run stops. */
export type Durability = 'sync' | 'async' | 'exit'

/** What one commit carries. */
export interface Changes {
  label: string
  readonly puts: ReadonlyMap<string, JsonText>
  readonly deletes: ReadonlySet<string>
  readonly open: Map<string, NewInterrupt>
  readonly answer: { readonly id: string; readonly answer: StoredAnswer }[]
  readonly consume: string[]
  readonly cancel: string[]
  readonly expire: string[]
}

/** How a stretch ends in the store. */
export interface Closing {
  readonly status: StoredStatus
  readonly meta?: JsonText
}

/** The store as the engine sees it. */
export interface Persistence {
  /** Commits; `closing` gives the lease up in the same act. Gives the version. */
  commit(changes: Changes, closing?: Closing): Promise<number>
}

/** What a run goes on with. */
export interface JournalStart {
  readonly store?: Persistence | undefined
  readonly durability: Durability
  /** Keys of the records that the store has; kept up to date. */
  readonly stored: Set<string>
}

/** A record's text, or what makes it when it is saved: most of what changes, changes again before that. */
type Text = JsonText | (() => JsonText)

type Pending = Omit<Changes, 'puts' | 'deletes'> & {
  readonly puts: Map<string, Text>
  readonly deletes: Set<string>
}

export class Journal {
  readonly #store: Persistence | undefined
  readonly #durability: Durability
  readonly #onCommit: (version: number, label: string) => void
  readonly #stored: Set<string>
  #changes = noChanges()
  #dirty = false
  #soon = false
  #ended = false
  #running: Promise<void> = Promise.resolve()
  /** What was put into the queue last. */
  #last: Promise<void> = this.#running
  #next: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(start: JournalStart, onCommit: (version: number, label: string) => void) {
    this.#store = start.store
    this.#durability = start.durability
    this.#stored = start.stored
    this.#onCommit = onCommit
  }

  /** False when nothing is kept: callers skip building what would be thrown away. */
  get durable(): boolean {
    return this.#store !== undefined
  }

  put(key: string, text: Text): void {
    this.#changes.deletes.delete(key)
    this.#changes.puts.set(key, text)
    this.#dirty = true
  }

  delete(key: string): void {
    this.#changes.puts.delete(key)
    if (!this.#stored.has(key)) return
    this.#changes.deletes.add(key)
    this.#dirty = true
  }

  open(row: NewInterrupt): void {
    this.#changes.open.set(row.id, row)
    this.#dirty = true
  }

  /** The answer of `id` went into this commit. */
  close(id: string, how: 'consume' | 'cancel' | 'expire'): void {
    this.#changes[how].push(id)
    this.#dirty = true
  }

  /** Waits, as the durability says, until everything up to here is saved. */
  flush(label: string): Promise<void> | undefined {
    if (this.#store === undefined) return undefined
    if (this.#durability === 'exit') return undefined
    const done = this.save(label)
    if (this.#durability === 'sync') return done
    // Overlapping: the next waited-for save reports a failure.
    done?.catch(() => undefined)
    return undefined
  }

  /** Has everything up to here saved soon, with what comes until then: for changes that nothing waits for. */
  flushSoon(label: string): void {
    if (this.#store === undefined || this.#durability === 'exit' || this.#soon) return
    this.#soon = true
    setImmediate(() => {
      this.#soon = false
      // Whoever waits for the next save is told of a failure.
      if (this.#dirty && !this.#ended) this.save(label)?.catch(() => undefined)
    })
  }

  /** Waits until everything up to here is saved, whatever the durability. */
  save(label: string): Promise<void> | undefined {
    if (this.#store === undefined) return undefined
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    // What nobody will save must not go on as if it were: a step would run again, and one that runs once too.
    if (this.#ended) return this.#dirty ? Promise.reject(new CancelledError(ENDED)) : this.#last
    if (!this.#dirty) return this.#next ?? this.#running
    this.#changes.label = label
    this.#next ??= this.#queue(() => this.#commit(this.#changes.label))
    return this.#next
  }

  /**
   * Saves, on its own, what somebody else may have been quicker with. When he was it is refused, and nothing
   * else with it.
   */
  async contend(label: string, part: (changes: Pending) => void): Promise<void> {
    if (this.#store === undefined) return
    const changes = noChanges()
    part(changes)
    changes.label = label
    await this.save(label)
    await this.#queue(() => this.#write(changes, { isHarmless: isLate }))
  }

  /** Saves the rest and gives the thread up, in one commit: what changes afterwards is nobody's. */
  async end(closing: Closing, label: string): Promise<void> {
    if (this.#store === undefined) return
    this.#ended = true
    await this.#queue(() => this.#commit(label, closing))
  }

  /** One after the other. */
  #queue(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act, act)
    this.#last = done
    return done
  }

  #commit(label: string, closing?: Closing): Promise<void> {
    this.#next = undefined
    const changes = this.#changes
    changes.label = label
    this.#changes = noChanges()
    this.#dirty = false
    this.#running = this.#write(changes, { closing })
    return this.#running
  }

  /** The texts as they are now; what goes to the store counts as stored. */
  #textsOf({ puts, deletes }: Pending): Map<string, JsonText> {
    for (const key of deletes) this.#stored.delete(key)
    const texts = new Map<string, JsonText>()
    for (const [key, text] of puts) {
      this.#stored.add(key)
      texts.set(key, typeof text === 'string' ? text : text())
    }
    return texts
  }

  /** What `isHarmless` says of an error: then nothing was written, and the thread is still ours. */
  async #write(
    changes: Pending,
    {
      closing,
      isHarmless,
    }: { closing?: Closing | undefined; isHarmless?: (error: unknown) => boolean },
  ): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    try {
      const puts = this.#textsOf(changes)
      const version = await this.#store?.commit({ ...changes, puts }, closing)
      this.#onCommit(version ?? 0, changes.label)
    } catch (error) {
      if (isHarmless?.(error) !== true) this.#failure = { error }
      throw error
    }
  }
}

const ENDED = 'the run has ended; nothing more is saved'

/** Somebody else has answered or closed the question. */
function isLate(error: unknown): boolean {
  return error instanceof AlreadyAnsweredError || error instanceof UnknownInterruptError
}

function noChanges(): Pending {
  return {
    label: '',
    puts: new Map(),
    deletes: new Set(),
    open: new Map(),
    answer: [],
    consume: [],
    cancel: [],
    expire: [],
  }
}
