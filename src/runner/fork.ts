import type { Services } from '../core/clock.ts'
import { HexagonError } from '../core/errors.ts'
import type { Claimant, InterruptRow, NewInterrupt, Store, StoredThread } from '../core/store.ts'
import type { QuestionRow } from '../runtime/question.ts'
import { metaOf, questionOf, textOf } from './thread-record.ts'

/** Where a fork begins and what it is called. */
export interface ForkOptions {
  /** Version of the checkpoint; the newest otherwise. */
  readonly at?: number | undefined
  readonly threadId?: string | undefined
}

/** What a fork is made with. */
export interface ForkParts {
  readonly store: Store
  readonly services: Services
  readonly claimant: Claimant
}

/**
 * Copies a thread as it was at a checkpoint into a new one; the original stays as it is. Open questions
 * get ids of their own, so an answer reaches exactly one of the two.
 */
export async function forkThread(
  from: StoredThread,
  options: ForkOptions,
  { store, services, claimant }: ForkParts,
): Promise<string> {
  const { head } = from
  const id = options.threadId ?? services.ids.thread()
  const { error: _error, stopped: _stopped, ...meta } = metaOf(head)
  const created = await store.create({
    id,
    flow: head.flow,
    meta: textOf({ ...meta, parent: { threadId: head.id, version: head.version } }),
    status: 'running',
    records: [...from.records],
    claim: claimant,
  })
  const live = from.interrupts.filter(({ status }) => status === 'open' || status === 'answered')
  const copies = live.map((row) => ({ row, copy: copyOf(row, services) }))
  await store.commit({
    threadId: id,
    expectVersion: created.version,
    fence: created.fence,
    status: 'suspended',
    label: `forked from ${head.id} at ${head.version}`,
    open: copies.map(({ copy }) => copy),
    answer: copies.flatMap(({ row, copy }) =>
      row.answer === undefined ? [] : [{ id: copy.id, answer: row.answer }],
    ),
    release: true,
  })
  return id
}

function copyOf(row: InterruptRow, services: Services): NewInterrupt {
  const id = services.ids.interrupt()
  const { ordinal, kind } = row
  const question = { ...questionOf(row), id, ...deadlineOf(questionOf(row), services.clock()) }
  const { expiresAt } = question
  const body = textOf(question)
  return { id, ordinal, kind, body, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

/** A question that would be due at once gets its time again: here it is asked now. */
function deadlineOf({ openedAt, expiresAt }: QuestionRow, now: number): Partial<QuestionRow> {
  if (expiresAt === undefined || Date.parse(expiresAt) > now) return {}
  const time = Date.parse(expiresAt) - Date.parse(openedAt)
  return {
    openedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + Math.max(0, time)).toISOString(),
  }
}

/** @throws HexagonError when the thread has no such checkpoint */
export async function checkpointOf(
  store: Store,
  current: StoredThread,
  at: number | undefined,
): Promise<StoredThread> {
  if (at === undefined || at === current.head.version) return current
  const found = await store.checkpointAt(current.head.id, at)
  if (found !== undefined) return found
  const oldest = (await store.history(current.head.id)).at(-1)?.version
  if (oldest !== undefined && at > 0 && at < oldest) throw pruned(current.head.id, { at, oldest })
  throw new HexagonError('E2122', `Thread "${current.head.id}" has no checkpoint ${at}`, {
    hint: `Its versions: hexagon history ${current.head.id}`,
    details: { threadId: current.head.id, at },
  })
}

function pruned(
  threadId: string,
  { at, oldest }: { readonly at: number; readonly oldest: number },
): HexagonError {
  const message = `Checkpoint ${at} of thread "${threadId}" was pruned: the oldest is ${oldest}`
  return new HexagonError('E2122', message, {
    hint: `Its versions: hexagon history ${threadId}`,
    details: { threadId, at, oldest },
  })
}
