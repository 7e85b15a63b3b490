import { HexagonError, StaleVersionError } from '../core/errors.ts'
import type { Commit, JsonText, NewInterrupt, NewThread, StoredStatus } from '../core/store.ts'
import type { CommitChange, CreateChange, Put } from './change.ts'
import { QuestionEdits, unknownQuestion } from './question-check.ts'
import { wakes, type ThreadState } from './thread-state.ts'

/** What a plan needs besides the thread. */
export interface PlanContext {
  readonly at: string
  /** Questions with an answer that the holder was not told of; who edits was told of none. */
  readonly untold: readonly string[] | 'every'
  readonly maxInlineBytes: number
}

/** Checks a new thread's records and makes its first change. @throws HexagonError E2108 */
export function planCreate(thread: NewThread, context: Omit<PlanContext, 'untold'>): CreateChange {
  assertSizes(thread.records, context.maxInlineBytes)
  const { claim } = thread
  return {
    kind: 'create',
    at: context.at,
    id: thread.id,
    flow: thread.flow,
    meta: thread.meta,
    status: thread.status,
    wake: thread.wake ?? 'any',
    records: thread.records,
    events: thread.events,
    claim: claim && { owner: claim.owner, holder: claim.holder },
  }
}

/**
 * Checks a whole batch against the thread and makes the change that carries it out.
 * Its parts act in this order: cancel, expire, open, answer, consume.
 * @throws StaleVersionError, AlreadyAnsweredError, UnknownInterruptError, HexagonError E2108
 */
export function planCommit(state: ThreadState, batch: Commit, context: PlanContext): CommitChange {
  if (batch.expectVersion !== state.version) {
    throw new StaleVersionError(state.id, batch.expectVersion, state.version)
  }
  assertSizes(batch.puts ?? [], context.maxInlineBytes)
  const { questions, cancel } = checkQuestions(state, batch)
  const wake = batch.wake ?? state.wake
  const isNews = isNewsIn(questions, context.untold)
  const isWoken = batch.status === 'suspended' && isNews && wakes({ wake }, questions.open)
  return {
    kind: 'commit',
    at: context.at,
    version: state.version + 1,
    status: isWoken ? 'ready' : batch.status,
    label: batch.label ?? '',
    meta: batch.meta,
    wake: batch.wake,
    runAfter: batch.runAfter,
    puts: batch.puts,
    deletes: batch.deletes,
    cancel,
    expire: batch.expire,
    open: batch.open?.map(questionOf),
    answer: batch.answer,
    consume: batch.consume,
    events: batch.events,
  }
}

/** What a release without a commit leaves: what the claim found, or `ready` when it is to run again. */
export function statusAfterRelease(
  state: ThreadState,
  options: { readonly runAfter: string | undefined; readonly untold: readonly string[] },
): StoredStatus {
  if (options.runAfter !== undefined) return 'ready'
  const status = state.claimedFrom ?? (state.status === 'running' ? 'ready' : state.status)
  const isNews = isNewsIn(new QuestionEdits(state), options.untold)
  const isWoken = status === 'suspended' && isNews && wakes(state, state.open)
  return isWoken ? 'ready' : status
}

/** True when an answer the holder doesn't know of is still there to be used. */
function isNewsIn(questions: QuestionEdits, untold: PlanContext['untold']): boolean {
  if (untold === 'every') return questions.answered > 0
  return untold.some((id) => questions.statusOf(id) === 'answered')
}

function questionOf({ id, ordinal, kind, expiresAt, body }: NewInterrupt): NewInterrupt {
  return expiresAt === undefined
    ? { id, ordinal, kind, body }
    : { id, ordinal, kind, expiresAt, body }
}

function checkQuestions(
  state: ThreadState,
  batch: Commit,
): { readonly questions: QuestionEdits; readonly cancel: readonly string[] } {
  const edits = new QuestionEdits(state)
  const cancel = (batch.cancel ?? []).filter((id) => cancelled(state, edits, id))
  for (const id of batch.expire ?? []) edits.settle(id, 'expired')
  for (const { id } of batch.open ?? []) edits.set(id, 'open')
  for (const { id } of batch.answer ?? []) edits.settle(id, 'answered')
  for (const id of batch.consume ?? []) consumed(state, edits, id)
  return { questions: edits, cancel }
}

function consumed(state: ThreadState, edits: QuestionEdits, id: string): void {
  if (edits.statusOf(id) !== 'answered') throw unknownQuestion(state, id)
  edits.set(id, 'consumed')
}

/** A question that is closed anyway stays as it is. */
function cancelled(state: ThreadState, edits: QuestionEdits, id: string): boolean {
  const status = edits.statusOf(id)
  if (status === undefined) throw unknownQuestion(state, id)
  if (status !== 'open' && status !== 'answered') return false
  edits.set(id, 'cancelled')
  return true
}

/** Refuses records that are too long. @throws HexagonError E2108 */
export function assertSizes(puts: readonly Put[], maxInlineBytes: number): void {
  for (const [key, value] of puts) {
    if (isWithin(value, maxInlineBytes)) continue
    throw new HexagonError('E2108', `Record "${key}" is longer than ${maxInlineBytes} bytes`, {
      hint: 'Keep big values outside and store where they are.',
      details: { key, maxInlineBytes },
    })
  }
}

function isWithin(text: JsonText, maxBytes: number): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8, so that short texts needn't be measured.
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
}
