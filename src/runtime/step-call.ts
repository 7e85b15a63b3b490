import { encode } from '../core/codec.ts'
import { seal } from '../core/seal.ts'
import type { TaskFrame } from './engine.ts'
import type { RetryOptions } from './retry.ts'

/** What a step's function is told. */
export interface StepInfo {
  /** The same on every try of this step, in every process. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** From 1. */
  readonly attempt: number
}

/** What the `verify` of a step is told. */
export interface VerifyInfo extends Pick<StepInfo, 'idempotencyKey' | 'signal'> {
  /** ISO time: when the step was begun, or when its thread was put back to an earlier version. */
  readonly at: string
}

/**
 * Whether a step happened: `{ happened: true, result }` with what it gave, or `true` where it gives nothing;
 * `false` when it certainly did not, and may run; `undefined` when that can't be told.
 */
export type Verification<T> =
  | { readonly happened: true; readonly result: T }
  | { readonly happened: false }
  | false
  | undefined
  | (undefined extends T ? true : T extends void ? true : never)

export interface StepOptions<T = unknown> {
  /** Remembered with the result: other arguments are another step. */
  readonly args?: unknown
  /** Tells apart steps of one name that run side by side. */
  readonly key?: string
  readonly retry?: RetryOptions
  /** How long one try may take, `'30s'` or milliseconds. Waiting for a person does not count. */
  readonly timeout?: string | number
  /**
   * Never runs twice unseen: cut off before its result is saved, it is in doubt, and runs again only when
   * `verify` or a person says that it did not happen.
   */
  readonly once?: boolean
  /** Finds out whether a step with `once` that is in doubt happened. Without it a person is asked. */
  readonly verify?: (info: VerifyInfo) => Verification<T> | Promise<Verification<T>>
}

/** A call of `step()`, with the place where its result is remembered. */
export interface StepCall<T> {
  readonly name: string
  readonly body: (info: StepInfo) => T | Promise<T>
  readonly options: StepOptions<T>
  readonly path: string
  readonly idempotencyKey: string
  /** Milliseconds one try may take. */
  readonly limit: number | undefined
  /** Position of the call, where the task does one thing after another. */
  readonly order?: number
}

/** A result on its way to its place. */
export interface Remembered {
  readonly path: string
  readonly name: string
  readonly value: unknown
  readonly order?: number | undefined
  /** Saved whatever the durability: the receipt of an intent. */
  readonly once?: boolean
}

/** Keeps a result at its place: saved before anything goes on with it. */
export async function remember(frame: TaskFrame, result: Remembered): Promise<void> {
  frame.guard()
  const { path, name, order, once } = result
  const value = seal(result.value, `step "${name}"`)
  const placed = order === undefined ? {} : { order }
  frame.memo.set(path, { kind: 'step', name, value, ...placed })
  const { journal } = frame.run
  if (!journal.durable) return
  const stored = { kind: 'step', name, value: encode(value), ...placed }
  journal.put(`m ${frame.id} ${path}`, JSON.stringify(stored))
  await (once === true ? journal.save(`step "${name}"`) : journal.flush(`step "${name}"`))
}
