import type { JsonObject } from '../../core/json.ts'

/** How a check went. `fixed` was wrong until now. */
export type CheckState = 'ok' | 'note' | 'fixed' | 'problem'

/** One thing that was looked at. */
export interface Check {
  readonly area: 'node' | 'library' | 'config' | 'store' | 'terminal'
  readonly state: CheckState
  readonly text: string
  readonly hint?: string
  /** Of a store: what kind of finding it is, and of which file. */
  readonly kind?: string
  readonly file?: string
  readonly threadId?: string
  /** True when `--fix` can put it right. */
  readonly isFixable?: boolean
}

/** A check for programs. */
export function checkJson({ isFixable = false, ...check }: Check): JsonObject {
  const { area, state, text, hint = null, kind = null, file = null, threadId = null } = check
  return { area, state, text, hint, kind, file, threadId, fixable: isFixable }
}
