import type { Services } from '../core/clock.ts'
import { isHexagonError } from '../core/errors.ts'
import type {
  Claimed,
  InterruptRow,
  Store,
  StoredAnswer,
  StoredStatus,
  StoredThread,
} from '../core/store.ts'
import { questionOf, textOf } from './thread-record.ts'

/** Open questions whose time is up. */
export function dueOf(interrupts: readonly InterruptRow[], now: number): InterruptRow[] {
  return interrupts.filter(
    ({ status, expiresAt }) =>
      status === 'open' && expiresAt !== undefined && Date.parse(expiresAt) <= now,
  )
}

/**
 * Settles what is due in a thread: by its default, or as expired unanswered. `held` is a claimed thread;
 * without it the store is asked to settle only if nobody holds the thread. Gives whether something was.
 */
export async function settleDue(
  store: Pick<Store, 'commit'>,
  thread: StoredThread | Claimed,
  services: Services,
): Promise<boolean> {
  const due = dueOf(thread.interrupts, services.clock())
  if (due.length === 0) return false
  const fence = 'fence' in thread ? thread.fence : null
  const defaults = due.filter((row) => 'default' in questionOf(row))
  await store.commit({
    threadId: thread.head.id,
    expectVersion: thread.head.version,
    fence,
    status: fence === null ? statusAfter(thread) : 'running',
    label: 'deadline',
    answer: defaults.map((row) => ({ id: row.id, answer: defaultAnswer(row, services) })),
    expire: due.filter((row) => !defaults.includes(row)).map(({ id }) => id),
  })
  return true
}

/** {@link settleDue} by whoever happens to look: a thread that moved on meanwhile is left alone. */
export async function settleSeen(
  store: Pick<Store, 'load' | 'commit'>,
  threadId: string,
  services: Services,
): Promise<boolean> {
  const thread = await store.load(threadId)
  if (thread === undefined || thread.head.lease?.alive === true) return false
  try {
    return await settleDue(store, thread, services)
  } catch (error) {
    if (isHexagonError(error)) return false
    throw error
  }
}

/** Somebody can go on with it; a crashed thread stays one, it takes a person to go on with that. */
function statusAfter({ head }: StoredThread): StoredStatus {
  return head.status === 'running' ? 'running' : 'ready'
}

function defaultAnswer(row: InterruptRow, services: Services): StoredAnswer {
  const question = questionOf(row)
  const at = new Date(services.clock()).toISOString()
  return {
    value: textOf(question.default),
    source: textOf({ via: 'timeout', digest: question.digest }),
    by: 'timeout',
    at,
    requestId: `timeout/${row.id}`,
  }
}
