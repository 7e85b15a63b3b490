import type { Store } from '../../src/core/store.ts'

/** Where another process finds the store: the function to call and what to call it with. */
export interface StoreLocation {
  /** An exported function of src/stores/index.ts. */
  readonly open: string
  readonly args: readonly unknown[]
}

/** What a test may ask of its store. */
export interface SubjectOptions {
  readonly maxInlineBytes?: number
  /** Encrypts what is stored. */
  readonly keys?: readonly string[]
}

/** Opens a store over an empty place. */
export type Setup = (options?: SubjectOptions) => Promise<StoreSubject>

/** One store under test, with its own empty place. */
export interface StoreSubject {
  readonly store: Store
  /** Another handle on the same threads. */
  reopen(): Promise<Store>
  /** Moves the clock of every handle in this process. */
  passTime(ms: number): void
  /** Makes a live holder look like one that can be taken over with `steal`. */
  loseLease(threadId: string): Promise<void>
  /** Absent when the store lives in one process. */
  readonly location?: StoreLocation
  dispose(): Promise<void>
}
