/** What can be wrong in a store's folder. */
export type FindingKind =
  | 'folder'
  | 'newer'
  | 'damaged'
  | 'torn'
  | 'foreign'
  | 'orphan'
  | 'stale-lock'
  | 'held'
  | 'phantom'
  | 'descriptor'
  | 'temp'
  | 'sealed'

/** One thing an inspection found. */
export interface Finding {
  readonly kind: FindingKind
  readonly file: string
  readonly problem: string
  /** A note is worth knowing, but nothing is wrong. */
  readonly weight: 'problem' | 'note'
  readonly threadId?: string
  /** What a person can do where there is no repair. */
  readonly hint?: string
  /** Puts it right and says what was done. @throws ThreadLockedError, StoreWriteError */
  readonly repair?: () => Promise<string>
}

/** Runs an act at most once; later calls get the same result. */
export function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= act())
}
