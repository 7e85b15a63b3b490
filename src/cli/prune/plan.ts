import { DamagedError, NewerFormatError, SealedError } from '../../core/errors.ts'
import type { Damage, Store, ThreadHead } from '../../core/store.ts'

/** What may go. */
export interface Retention {
  /** Milliseconds after which a thread that has ended is deleted. */
  readonly doneMs: number | undefined
  /** How many checkpoints the others keep. */
  readonly keep: number | undefined
}

/** What is to be done with one thread. */
export type Pruning =
  | { readonly kind: 'delete'; readonly head: ThreadHead }
  | { readonly kind: 'cut'; readonly head: ThreadHead; readonly removed: number }

/** What is to be done, and what can't be. */
export interface PrunePlan {
  readonly prunings: readonly Pruning[]
  /** Somebody runs them. */
  readonly busy: readonly string[]
  readonly damaged: readonly Damage[]
}

/** Looks what may go of the given threads; changes nothing. */
export async function planPruning(
  heads: readonly ThreadHead[],
  store: Store,
  retention: Retention & { readonly now: number },
): Promise<PrunePlan> {
  const prunings: Pruning[] = []
  const busy: string[] = []
  const damaged: Damage[] = []
  for (const head of heads) {
    try {
      const pruning = await pruningOf(head, store, retention)
      if (pruning === undefined) continue
      if (head.lease?.alive === true) busy.push(head.id)
      else prunings.push(pruning)
    } catch (error) {
      damaged.push(damageOf(head.id, error))
    }
  }
  return { prunings, busy, damaged }
}

/** True for a thread that may be deleted: ended, and longer ago than is kept. */
export function isOver(
  { status, updatedAt }: ThreadHead,
  { doneMs, now }: Pick<Retention, 'doneMs'> & { readonly now: number },
): boolean {
  const hasEnded = status === 'completed' || status === 'cancelled'
  return hasEnded && doneMs !== undefined && Date.parse(updatedAt) < now - doneMs
}

/** What a list says of a thread that can't be read. */
export function damageOf(threadId: string, error: unknown): Damage {
  const isDamage =
    error instanceof DamagedError ||
    error instanceof NewerFormatError ||
    error instanceof SealedError
  if (!isDamage) throw error
  const { code, message, details } = error
  const { file = threadId, problem = message } = details
  return { threadId, file: String(file), problem: String(problem), code }
}

async function pruningOf(
  head: ThreadHead,
  store: Store,
  retention: Retention & { readonly now: number },
): Promise<Pruning | undefined> {
  if (isOver(head, retention)) return { kind: 'delete', head }
  const { keep } = retention
  if (keep === undefined) return undefined
  const removed = (await store.history(head.id)).length - keep
  return removed > 0 ? { kind: 'cut', head, removed } : undefined
}
