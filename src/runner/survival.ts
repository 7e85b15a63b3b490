import { isHexagonError, messageOf } from '../core/errors.ts'
import type { StoredThread } from '../core/store.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { expectPlaces } from './drift.ts'
import { graphsIn } from './inner-graph.ts'
import { viewOf } from './thread-view.ts'

/** What becomes of a waiting thread under a version of its flow. */
export type Survival =
  | { readonly threadId: string; readonly verdict: 'resumes' }
  | {
      readonly threadId: string
      readonly verdict: 'needs migration' | 'stuck'
      readonly why: string
      readonly fix: string
    }

/** Judges a stored thread by its records and the flow's shape alone; no flow code runs. */
export function survivalOf(thread: StoredThread, flow: Runnable): Survival {
  const threadId = thread.head.id
  try {
    expectPlaces(thread, flow)
  } catch (error) {
    const fix = isHexagonError(error) ? (error.hint ?? '') : ''
    return { threadId, verdict: 'stuck', why: messageOf(error), fix }
  }
  return migrationOf(thread, flow) ?? { threadId, verdict: 'resumes' }
}

function migrationOf(thread: StoredThread, flow: Runnable): Survival | undefined {
  const threadId = thread.head.id
  try {
    flow.checkCommand({ update: viewOf(thread).state })
    for (const { gid, address } of graphsIn(thread))
      flow.checkCommand({ update: viewOf(thread, gid).state, within: address })
    return undefined
  } catch (error) {
    return {
      threadId,
      verdict: 'needs migration',
      why: messageOf(error),
      fix: 'Declare the key again, or migrate the thread: export it, migrateCheckpoint(), import it.',
    }
  }
}
