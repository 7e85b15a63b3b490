import { interrupt, type InterruptOptions } from './interrupt.ts'

/** One part of a question's options. */
export type InterruptOption<T> = Readonly<Partial<InterruptOptions<T>>>

/** How long a question may wait: `'2h'`, milliseconds, or a Date. */
export function withTimeout(timeout: string | number | Date): {
  readonly timeout: string | number | Date
} {
  return { timeout }
}

/** The answer when the time is up. */
export function withDefault<T>(value: T): InterruptOption<T> {
  return { default: value }
}

/** Refuses answers: `false`, a text or a throw says why. */
export function withValidator<T>(validate: (answer: T) => unknown): InterruptOption<T> {
  return { validate }
}

/** {@link interrupt} with its options one by one; the last word on each counts. */
export function interruptWithOptions<T = unknown>(
  payload: unknown,
  ...options: readonly InterruptOption<T>[]
): Promise<T> {
  return interrupt<T>(payload, Object.assign({}, ...options) as InterruptOptions<T>)
}

/** {@link interrupt} for code that has nothing to do without an answer: what goes wrong ends it. */
export function mustInterrupt<T = unknown>(payload: unknown): Promise<T> {
  return interrupt<T>(payload)
}
