import { formatAddress } from '../core/address.ts'
import { messageOf } from '../core/errors.ts'
import type { TaskFrame } from './engine.ts'
import { recordOf } from './error-record.ts'
import { doubtAgain } from './intent.ts'
import { durationOf } from './question.ts'
import { findSignal } from './signal.ts'

/** When and how often a failure is tried again. */
export interface RetryOptions {
  /** Tries in all; 1 means no retry. Default 3 when the option is given. */
  readonly attempts?: number
  /** Wait before the second try: `'1s'` or milliseconds. Default 500 ms. */
  readonly delay?: string | number
  /** Factor from one wait to the next. Default 2. */
  readonly backoff?: number
  readonly maxDelay?: string | number
  /** Share of the wait that is random, from 0 to 1. Default 0. */
  readonly jitter?: number
  /** False for failures that trying again does not mend. */
  readonly when?: (error: unknown, attempt: number) => boolean
}

/** Runs `body` until it succeeds or its tries are used up. Interrupts pass: waiting is not a failure. */
export function attempts<T>(
  frame: TaskFrame,
  options: RetryOptions | undefined,
  body: (attempt: number) => T | Promise<T>,
): Promise<T> {
  return attemptsAt({ frame, path: '' }, options, body)
}

/** {@link attempts} of what is at a place of a task. */
export async function attemptsAt<T>(
  { frame, path }: { readonly frame: TaskFrame; readonly path: string },
  options: RetryOptions | undefined,
  body: (attempt: number) => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await body(attempt)
    } catch (error) {
      if (frame.status !== 'live' || !isWorthAnother(options, error, attempt)) throw error
      await waitForRetry(frame, { options, error, attempt })
      doubtAgain(frame, path)
    }
  }
}

/** Tells of a failure that is tried again, and waits as long as the options say. */
export async function waitForRetry(
  frame: TaskFrame,
  {
    options = {},
    error,
    attempt,
  }: { options?: RetryOptions | undefined; error: unknown; attempt: number },
): Promise<void> {
  const delayMs = delayOf(options, attempt)
  const node = formatAddress(frame.address.slice(-1))
  const retry = { type: 'node:retry', node, attempt, delayMs, error: recordOf(error) } as const
  frame.run.emit(frame.address, retry)
  await pause(delayMs, frame.signal)
}

/** True when the options allow one more try after this failure. An interrupt is no failure. */
export function isWorthAnother(
  options: RetryOptions | undefined,
  error: unknown,
  attempt: number,
): boolean {
  if (options === undefined || attempt >= (options.attempts ?? 3)) return false
  if (findSignal(error) !== undefined) return false
  return options.when?.(error, attempt) ?? true
}

function delayOf(
  { delay = 500, backoff = 2, maxDelay = '1m', jitter = 0 }: RetryOptions,
  attempt: number,
): number {
  const base = (durationOf(delay) ?? 500) * backoff ** (attempt - 1)
  const capped = Math.min(base, durationOf(maxDelay) ?? 60_000)
  return Math.round(capped * (1 - jitter * Math.random()))
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new Error(messageOf(signal.reason)))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
