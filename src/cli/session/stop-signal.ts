import { exitCode, type ExitCode } from '../exit-code.ts'

/** Signals that stop what a command does. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof stopSignals)[number]

/** What the process tells the shell after each. */
export const codeOfSignal: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: exitCode.interrupted,
  SIGTERM: exitCode.terminated,
  SIGHUP: exitCode.hangUp,
}

/** Waits for the first signal, beside something that has nothing to save. */
export class SignalWatch {
  /** Resolves when a signal has come. */
  readonly came: Promise<void>
  /** The signal that came first. */
  signal: StopSignal | undefined
  readonly #listeners: readonly { readonly signal: StopSignal; readonly listener: () => void }[]

  constructor() {
    let tell: (() => void) | undefined
    this.came = new Promise((resolve) => {
      tell = resolve
    })
    this.#listeners = stopSignals.map((signal) => ({
      signal,
      listener: () => {
        this.signal ??= signal
        tell?.()
      },
    }))
    for (const { signal, listener } of this.#listeners) process.on(signal, listener)
  }

  close(): void {
    for (const { signal, listener } of this.#listeners) process.off(signal, listener)
  }
}
