import type {
  Claimant,
  Commit,
  NewInterrupt,
  NewThread,
  PendingThread,
  Store,
  ThreadHead,
} from '../../src/core/store.ts'

/** A claimant by name. */
export function claimant(owner = 'tester', leaseMs = 60_000): Claimant {
  return {
    owner,
    leaseMs,
    holder: { pid: process.pid, host: 'here', since: '2026-01-01T00:00:00.000Z' },
  }
}

/** A suspended thread with nothing in it, unless told otherwise. */
export function newThread(id: string, parts: Partial<NewThread> = {}): NewThread {
  return { id, flow: 'test', meta: '{}', status: 'suspended', records: [], ...parts }
}

/** A question with a body that tells which it is. */
export function question(id: string, ordinal: number): NewInterrupt {
  return { id, ordinal, kind: 'approval', body: JSON.stringify({ message: `May I ${id}?` }) }
}

/** A suspended thread with these questions open, at version 2. */
export async function askingThread(
  store: Store,
  id: string,
  parts: { readonly ids: readonly string[]; readonly wake?: 'any' | 'all' },
): Promise<void> {
  await store.create(newThread(id, parts.wake === undefined ? {} : { wake: parts.wake }))
  await store.commit(
    edit(id, 1, { open: parts.ids.map((question_, index) => question(question_, index + 1)) }),
  )
}

/** A commit of nobody in particular, to a suspended thread. */
export function edit(threadId: string, expectVersion: number, parts: Partial<Commit> = {}): Commit {
  return { threadId, expectVersion, fence: null, status: 'suspended', ...parts }
}

let requests = 0

/** Answers by id, under a new request id. */
export function answers(
  threadId: string,
  values: Readonly<Record<string, string>>,
  parts: { readonly by?: string; readonly requestId?: string } = {},
) {
  return {
    threadId,
    answers: Object.entries(values).map(([id, value]) => ({ id, value })),
    source: '{"via":"call"}',
    by: parts.by ?? 'ann',
    requestId: parts.requestId ?? `r${process.pid}-${++requests}`,
  }
}

/** Everything `pending` lists, page by page. */
export async function allPending(store: Store, limit = 7): Promise<PendingThread[]> {
  const found: PendingThread[] = []
  let after: string | undefined
  do {
    const page = await store.pending(after === undefined ? { limit } : { limit, after })
    found.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return found
}

/** Everything `threads` lists, page by page. */
export async function allThreads(store: Store, limit = 7): Promise<ThreadHead[]> {
  const found: ThreadHead[] = []
  let after: string | undefined
  do {
    const page = await store.threads(after === undefined ? { limit } : { limit, after })
    found.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return found
}
