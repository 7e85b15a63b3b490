// A thread as the fold of its changes. `applyChange` never refuses: whatever is checked is checked
// before a change is made (commit-plan.ts, answer-plan.ts), so that replaying a log can't fail.
//
// Invariants:
//   1. `open` and `answered` count the rows with that status; nothing scans the questions.
//   2. A row is replaced, never changed, so that rows may be handed out.

import type {
  InterruptRow,
  JsonText,
  Lease,
  StoredStatus,
  StoredThread,
  ThreadHead,
  WakeRule,
} from '../core/store.ts'
import type { AnswerChange, Change, CommitChange, CreateChange, GivenAnswer } from './change.ts'

/** Bodies of closed questions above this are dropped: a state doesn't grow with what was once asked. */
const KEPT_BODY_LENGTH = 2048

/** Everything a store knows of a thread, apart from who holds it. */
export interface ThreadState {
  readonly id: string
  readonly flow: string
  readonly createdAt: string
  status: StoredStatus
  version: number
  fence: number
  attempts: number
  wake: WakeRule
  updatedAt: string
  meta: JsonText
  runAfter: string | undefined
  /** What a claim found; a release without a commit goes back to it. */
  claimedFrom: StoredStatus | undefined
  readonly records: Map<string, JsonText>
  readonly interrupts: Map<string, InterruptRow>
  open: number
  answered: number
  /** Number of the last event. */
  events: number
  /** Number of the last outside answer that is part of this state. */
  inbox: number
}

/** Starts a thread. */
export function stateOf(change: CreateChange): ThreadState {
  const claimed = change.claim === undefined ? 0 : 1
  return {
    id: change.id,
    flow: change.flow,
    createdAt: change.at,
    status: change.status,
    version: 1,
    fence: claimed,
    attempts: claimed,
    wake: change.wake,
    updatedAt: change.at,
    meta: change.meta,
    runAfter: undefined,
    claimedFrom: undefined,
    records: new Map(change.records),
    interrupts: new Map(),
    open: 0,
    answered: 0,
    events: change.events?.length ?? 0,
    inbox: 0,
  }
}

/** Carries one change out. */
export function applyChange(state: ThreadState, change: Exclude<Change, CreateChange>): void {
  state.updatedAt = change.at
  switch (change.kind) {
    case 'claim':
      state.claimedFrom = state.status
      state.status = 'running'
      state.fence = change.fence
      state.attempts++
      return
    case 'commit':
      applyCommit(state, change)
      return
    case 'answer':
      applyAnswers(state, change)
      return
    case 'release':
      state.status = change.status
      state.runAfter = change.runAfter
      state.claimedFrom = undefined
  }
}

/** True when what waits may go on: on any answer, or when nothing is open any more. */
export function wakes(state: { readonly wake: WakeRule }, open: number): boolean {
  return state.wake === 'any' || open === 0
}

/** True for statuses in which nobody is at work. */
export function isAtRest(status: StoredStatus): boolean {
  return status !== 'running'
}

/** True when the thread has ended for good. */
export function isClosed(status: StoredStatus): boolean {
  return status === 'completed' || status === 'cancelled'
}

/** The outside's view of a state. */
export function headOf(state: ThreadState, lease?: Lease): ThreadHead {
  return {
    id: state.id,
    flow: state.flow,
    status: state.status,
    version: state.version,
    fence: state.fence,
    attempts: state.attempts,
    wake: state.wake,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    meta: state.meta,
    ...(lease === undefined ? {} : { lease }),
  }
}

/** A copy that later changes don't reach. */
export function storedOf(state: ThreadState, lease?: Lease): StoredThread {
  return {
    head: headOf(state, lease),
    records: new Map(state.records),
    interrupts: interruptsOf(state),
  }
}

/** A state of its own with the same content. */
export function cloneState(state: ThreadState): ThreadState {
  return { ...state, records: new Map(state.records), interrupts: new Map(state.interrupts) }
}

/** The open questions, in order of their ordinals. */
export function openOf(state: ThreadState): InterruptRow[] {
  return state.open === 0 ? [] : interruptsOf(state).filter(({ status }) => status === 'open')
}

function interruptsOf(state: ThreadState): InterruptRow[] {
  const rows = [...state.interrupts.values()]
  const inOrder = rows.every(
    (row, index) => index === 0 || ordinalAt(rows, index - 1) <= row.ordinal,
  )
  return inOrder ? rows : rows.toSorted((a, b) => a.ordinal - b.ordinal)
}

function ordinalAt(rows: readonly InterruptRow[], index: number): number {
  return rows[index]?.ordinal ?? 0
}

function applyCommit(state: ThreadState, change: CommitChange): void {
  state.version = change.version
  state.status = change.status
  state.meta = change.meta ?? state.meta
  state.wake = change.wake ?? state.wake
  state.runAfter = change.runAfter
  state.claimedFrom = undefined
  if (isAtRest(change.status)) state.attempts = 0
  for (const [key, value] of change.puts ?? []) state.records.set(key, value)
  for (const key of change.deletes ?? []) state.records.delete(key)
  applyQuestions(state, change)
  state.events += change.events?.length ?? 0
}

function applyQuestions(state: ThreadState, change: CommitChange): void {
  for (const id of change.cancel ?? []) close(state, id, 'cancelled')
  for (const id of change.expire ?? []) close(state, id, 'expired')
  for (const question of change.open ?? []) setRow(state, { ...question, status: 'open' })
  setAnswers(state, change.answer ?? [])
  for (const id of change.consume ?? []) close(state, id, 'consumed')
}

function applyAnswers(state: ThreadState, change: AnswerChange): void {
  const openBefore = state.open
  setAnswers(state, change.answers)
  state.inbox = change.through ?? state.inbox
  const isNews = state.open < openBefore
  if (!isNews || state.status !== 'suspended' || !wakes(state, state.open)) return
  state.status = 'ready'
  state.runAfter = undefined
}

function setAnswers(state: ThreadState, answers: readonly GivenAnswer[]): void {
  for (const { id, answer } of answers) {
    const row = state.interrupts.get(id)
    if (row?.status === 'open') setRow(state, { ...row, status: 'answered', answer })
  }
}

function close(state: ThreadState, id: string, status: 'consumed' | 'cancelled' | 'expired'): void {
  const row = state.interrupts.get(id)
  if (row === undefined) return
  // The call of an expired question has still to be told.
  const isNeeded = status === 'expired' || row.body.length <= KEPT_BODY_LENGTH
  const body = isNeeded ? row.body : ''
  setRow(state, { ...row, status, body })
}

function setRow(state: ThreadState, row: InterruptRow): void {
  count(state, state.interrupts.get(row.id)?.status, -1)
  count(state, row.status, 1)
  state.interrupts.set(row.id, row)
}

function count(state: ThreadState, status: InterruptRow['status'] | undefined, by: 1 | -1): void {
  if (status === 'open') state.open += by
  if (status === 'answered') state.answered += by
}
