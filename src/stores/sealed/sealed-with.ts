import type { Store } from '../../core/store.ts'
import { KeyRing } from './key-ring.ts'
import { sealedLength } from './sealed-text.ts'
import { SealedStore } from './store.ts'

/** What a store that may be sealed is made with. */
export interface SealableOptions {
  readonly keys?: readonly string[] | undefined
  readonly maxInlineBytes?: number
}

/** What the store inside is made with. */
export interface InsideOptions {
  readonly texts: 'plain' | 'sealed'
  readonly maxInlineBytes: number
}

const DEFAULT_MAX_INLINE_BYTES = 64 * 1024 * 1024

/** A store as it is, or behind a seal when there are keys. @throws SealedError E1325 */
export function sealedWith(
  { keys, maxInlineBytes = DEFAULT_MAX_INLINE_BYTES }: SealableOptions,
  make: (options: InsideOptions) => Store,
): Store {
  if (keys === undefined) return make({ texts: 'plain', maxInlineBytes })
  const cipher = new KeyRing(keys)
  const inside = make({ texts: 'sealed', maxInlineBytes: sealedLength(maxInlineBytes) })
  return new SealedStore(inside, { cipher, maxInlineBytes })
}
