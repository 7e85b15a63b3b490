// A ThreadRun is one stretch of execution of a thread: from a start or a resume until everything has
// ended or waits. It owns the journal, the live frames and the event numbers; questions are kept by
// Questions, the person's side by Asker.
//
// Invariants:
//   1. Nothing is announced (event, prompt) before it is saved.
//   2. A run is over when nothing goes on, nobody is being asked and no answer is being taken.

import type { Address } from '../core/address.ts'
import { formatAddress } from '../core/address.ts'
import type { Services } from '../core/clock.ts'
import { CancelledError } from '../core/errors.ts'
import type { RunEventBody } from '../core/event.ts'
import { Asker } from './asker.ts'
import type { Engine, EngineOptions, Outcome, Stop, TaskFrame, TaskOwner } from './engine.ts'
import type { Frame } from './frame.ts'
import { Journal } from './journal.ts'
import type { Memo } from './memo.ts'
import { Questions } from './questions.ts'
import { Restored, type StoredQuestion } from './restored.ts'

export class ThreadRun implements Engine {
  readonly options: EngineOptions
  readonly threadId: string
  readonly services: Services
  readonly journal: Journal
  readonly restored: Restored
  readonly questions: Questions
  readonly asker: Asker
  readonly listening: boolean
  readonly live = new Set<TaskFrame>()
  readonly owners = new Map<string, TaskOwner>()
  /** Made when the first frame asks for its signal. */
  abort: AbortController | undefined
  stop: Stop | undefined
  /** Why what an earlier process left can't be read: nothing ran. */
  unreadable: { readonly error: unknown } | undefined
  version = 0
  /** The highest superstep reached. */
  steps = 0
  #seq = 0
  #time: { readonly now: number; readonly text: string } | undefined
  #later: Set<TaskFrame> | undefined
  #idle: (() => void) | undefined
  #root: Frame | undefined

  constructor(options: EngineOptions) {
    this.options = options
    this.listening = options.onEvent !== undefined
    this.threadId = options.threadId
    this.services = options.services
    this.restored = options.restored ?? new Restored()
    const { store, durability = 'sync' } = options
    const { keys: stored } = this.restored
    this.journal = new Journal({ store, durability, stored }, (version, label) => {
      this.version = version
      this.emit([], { type: 'checkpoint', version, label })
    })
    this.questions = new Questions(this, options.asked ?? 0)
    this.asker = new Asker(this, options.handler)
  }

  emit(address: Address, body: RunEventBody): void {
    const listener = this.options.onEvent
    if (listener === undefined) return
    this.#seq += 1
    const time = this.#timeText(this.services.clock())
    listener({ ...body, threadId: this.threadId, address, time, seq: this.#seq })
  }

  // Many events fall into one millisecond, and its text takes longer than the rest of an event.
  #timeText(now: number): string {
    if (now !== this.#time?.now) this.#time = { now, text: new Date(now).toISOString() }
    return this.#time.text
  }

  memoOf(task: string): Map<string, Memo> | undefined {
    const memos = this.restored.memos.get(task)
    const questions = this.restored.questions.get(task)
    if (memos === undefined && questions === undefined) return undefined
    // Handed out once: a later visit of the same place is another task.
    this.restored.memos.delete(task)
    this.restored.questions.delete(task)
    const memo = memos ?? new Map<string, Memo>()
    for (const question of questions ?? []) this.#recall(memo, question)
    return memo
  }

  #recall(memo: Map<string, Memo>, { row, answer, expired }: StoredQuestion): void {
    if (row.asked === 'component') return
    if (row.asked === 'breakpoint') {
      if (answer !== undefined) this.journal.close(row.id, 'consume')
      return
    }
    memo.set(row.path, {
      kind: 'question',
      row,
      ...(answer === undefined ? {} : { answer }),
      ...(expired === true ? { expired } : {}),
    })
  }

  /**
   * Runs `body` as the root until everything has ended or waits and nobody can answer now. Gives the
   * root's outcome; `parked` means suspended.
   */
  async drive(root: Frame, body: () => unknown): Promise<Outcome> {
    this.#root = root
    let next = root.start(body)
    // Taken at once: a woken root may end before anybody else runs.
    root.onWake = (): undefined => {
      next = root.next()
      this.changed()
    }
    let outcome = await next
    while (outcome.kind === 'parked' && (await this.#somethingComes())) outcome = await next
    this.questions.ignoreDeadlines()
    return outcome
  }

  /** Waits while a person is being asked; false when nothing will wake the run any more. */
  async #somethingComes(): Promise<boolean> {
    for (;;) {
      if (this.#root?.status === 'live') return true
      // Unwound by a stop: its code is out, nothing can wake it.
      if (this.#root?.status !== 'parked') return false
      this.questions.refuseStranded()
      if (this.stop !== undefined || !this.#isAsking) return false
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    }
  }

  /** True while somebody is asked, or about to be, or an answer is being taken. */
  get #isAsking(): boolean {
    return this.asker.busy || this.questions.opening || this.questions.submitting
  }

  /** Tells the run that something it may wait for has changed. */
  changed(): void {
    const wake = this.#idle
    this.#idle = undefined
    wake?.()
  }

  /** Looks at `frame` again when everything that is due now has run. */
  later(frame: TaskFrame): void {
    if (this.#later !== undefined) {
      this.#later.add(frame)
      return
    }
    this.#later = new Set([frame])
    setImmediate(() => {
      const frames = this.#later ?? []
      this.#later = undefined
      for (const due of frames) due.park()
    })
  }

  /** A frame came to an end or parked: an answer it was entered for and never reached is refused. */
  reached(frame: TaskFrame, outcome: Outcome): void {
    this.questions.reached(frame, outcome)
  }

  /** An entry ended by itself: opens what its components ask. True when they ask something. */
  raise(frame: TaskFrame, outcome: Outcome): boolean {
    return this.questions.raise(frame, outcome)
  }

  swallowed(frame: TaskFrame): void {
    const where = formatAddress(frame.address) || 'the flow'
    this.emit(frame.address, {
      type: 'warning',
      code: 'E2109',
      message: `${where} caught the interrupt and returned; it stays suspended and its return value is dropped`,
    })
  }

  /** Enters a task that waits without a live call, or the nearest task around it that is not running. */
  enter(lineage: readonly string[], ownerOf: (task: string) => string): void {
    for (const task of lineage) {
      const owner = this.owners.get(ownerOf(task))
      if (owner !== undefined) {
        owner.enter(task)
        return
      }
    }
  }

  /** Asks the run to stop. `immediate` abandons what runs; both keep what is finished. */
  cancel(mode: Stop['mode'], reason: string): void {
    if (this.stop?.mode === 'immediate' || (this.stop !== undefined && mode === 'graceful')) return
    this.stop = { mode, reason, at: new Date(this.services.clock()).toISOString() }
    this.asker.close(reason)
    if (mode === 'immediate') this.#abandon(reason)
    this.questions.refuseUnentered()
    this.changed()
  }

  #abandon(reason: string): void {
    const error = new CancelledError(reason)
    this.abort?.abort(error)
    const frames = [...this.live]
    for (const frame of frames) if (frame !== this.#root) frame.abandon(error)
    for (const owner of this.owners.values()) owner.unwind()
  }

  /**
   * Unwinds every waiting call, so that `finally` blocks run; waits up to `graceMs` for them. Where a task does
   * nothing but run a graph no code waits.
   */
  async unwind(graceMs = 1000): Promise<void> {
    const frames = [...this.live].filter(({ plain }) => !plain)
    const bodies = frames.map((frame) => frame.unwind())
    for (const owner of this.owners.values()) if (!owner.isNode) owner.unwind()
    if (bodies.length === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([Promise.allSettled(bodies), grace])
    clearTimeout(timer)
  }
}
