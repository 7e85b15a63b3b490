import type { Damage } from '../../core/store.ts'

/** What came of sealing all texts of a store under the key that writes now. */
export interface Rekeyed {
  readonly threads: readonly string[]
  /** Somebody ran them: they are as they were. */
  readonly busy: readonly string[]
  /** They can't be read: they are as they were. */
  readonly damaged: readonly Damage[]
  /** Copies that were left as they are: files a repair has kept. */
  readonly kept: readonly string[]
}
