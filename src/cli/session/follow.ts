// Follows one run to its end: hands on its events, and turns signals and the time limit into stops.
//
// Invariants:
//   1. The first signal lets running tasks finish; the second, or 10 seconds, abandons them.
//   2. Every listener is gone when the run has ended.
//   3. An error that nobody catches abandons the run instead of ending the process: what is done is saved.

import type { RunResult } from '../../core/command.ts'
import type { RunEvent } from '../../core/event.ts'
import type { Run } from '../../runner/run.ts'
import { stopSignals, type StopSignal } from './stop-signal.ts'

/** Why a run ended before it was through. */
export type Cut =
  | { readonly kind: 'signal'; readonly signal: StopSignal }
  | { readonly kind: 'timeout' }
  /** Something the flow started failed where nobody could catch it. */
  | { readonly kind: 'stray'; readonly error: unknown }

/** What is told while a run is followed. */
export interface FollowOptions {
  readonly timeoutMs?: number | undefined
  onEvent(event: RunEvent): void
  /** A signal came; `again` for every one after the first. */
  onSignal(signal: StopSignal, again: boolean): void
  /** The run does not end although it was abandoned: only leaving the process is left. */
  onStuck(cut: Cut): void
}

const STRAYS = ['uncaughtException', 'unhandledRejection'] as const
const PATIENCE_MS = 10_000
const STUCK_MS = 2000

const REASONS: Readonly<Record<Cut['kind'], string>> = {
  signal: 'a signal',
  timeout: '--timeout',
  stray: 'an error that nobody caught',
}

/** Follows one run. */
export class Follower {
  readonly #options: FollowOptions
  readonly #timers: ReturnType<typeof setTimeout>[] = []
  readonly #listeners = stopSignals.map((signal) => ({
    signal,
    listener: (): void => this.stop(signal),
  }))
  #run: Run | undefined
  /** Why the run was cut short, if it was. */
  cut: Cut | undefined

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Resolves when the run has ended; rejects when it was refused. */
  async follow(run: Run): Promise<RunResult> {
    this.#run = run
    this.#listen()
    try {
      const [result] = await Promise.all([run.result, this.#consume(run)])
      return result
    } finally {
      this.#close()
    }
  }

  /** Does what this signal does. */
  stop(signal: StopSignal): void {
    const again = this.cut !== undefined
    this.#options.onSignal(signal, again)
    const cut: Cut = { kind: 'signal', signal }
    if (again) {
      this.#abandon(cut)
      return
    }
    this.cut = cut
    this.#run?.cancel('graceful', REASONS.signal)
    this.#after(PATIENCE_MS, () => this.#abandon(cut))
  }

  readonly #onStray = (error: unknown): void => this.#abandon({ kind: 'stray', error })

  async #consume(run: Run): Promise<void> {
    for await (const event of run) this.#options.onEvent(event)
  }

  #listen(): void {
    for (const { signal, listener } of this.#listeners) process.on(signal, listener)
    for (const name of STRAYS) process.on(name, this.#onStray)
    const { timeoutMs } = this.#options
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.#abandon({ kind: 'timeout' }))
  }

  #close(): void {
    for (const { signal, listener } of this.#listeners) process.off(signal, listener)
    for (const name of STRAYS) process.off(name, this.#onStray)
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #abandon(cut: Cut): void {
    this.cut ??= cut
    this.#run?.cancel('immediate', REASONS[cut.kind])
    this.#after(STUCK_MS, () => this.#options.onStuck(this.cut ?? cut))
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms))
  }
}
