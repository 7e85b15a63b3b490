import type { InterruptRow, NewThread, Store, StoredStatus } from '../core/store.ts'

/** A thread as it was in another store. */
export interface PlacedThread extends Pick<
  NewThread,
  'id' | 'flow' | 'meta' | 'records' | 'wake' | 'events'
> {
  readonly status: StoredStatus
  readonly interrupts: readonly InterruptRow[]
}

/**
 * Makes a thread under its own id, with its questions as they were. An answer that was not used yet wakes it.
 * @throws ThreadExistsError
 */
export async function placeThread(
  store: Store,
  { status, interrupts, ...thread }: PlacedThread,
  label: string,
): Promise<void> {
  const { id } = thread
  const { version } = await store.create({ ...thread, status: 'suspended' })
  const opened = await store.commit({
    threadId: id,
    expectVersion: version,
    fence: null,
    status: 'suspended',
    label,
    open: interrupts.map(newRow),
    answer: interrupts.flatMap((row) =>
      row.answer === undefined ? [] : [{ id: row.id, answer: row.answer }],
    ),
  })
  await store.commit({
    threadId: id,
    expectVersion: opened.version,
    fence: null,
    status,
    label,
    consume: idsWith(interrupts, 'consumed'),
    cancel: idsWith(interrupts, 'cancelled'),
    expire: idsWith(interrupts, 'expired'),
  })
}

function newRow({
  id,
  ordinal,
  kind,
  expiresAt,
  body,
}: InterruptRow): Pick<InterruptRow, 'id' | 'ordinal' | 'kind' | 'body' | 'expiresAt'> {
  return { id, ordinal, kind, body, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

function idsWith(rows: readonly InterruptRow[], status: InterruptRow['status']): string[] {
  return rows.filter((row) => row.status === status).map(({ id }) => id)
}
