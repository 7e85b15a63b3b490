import type { Holder } from '../core/errors.ts'
import type { JsonText, NewInterrupt, StoredAnswer, StoredStatus, WakeRule } from '../core/store.ts'

/** A question's id and the answer it got. */
export interface GivenAnswer {
  readonly id: string
  readonly answer: StoredAnswer
}

/** A keyed record as it is written. */
export type Put = readonly [key: string, value: JsonText]

/** Who took a thread. */
export interface Claim {
  readonly owner: string
  readonly holder: Holder
}

/** The first change of every thread; it makes version 1. */
export interface CreateChange {
  readonly kind: 'create'
  readonly at: string
  readonly id: string
  readonly flow: string
  readonly meta: JsonText
  readonly status: StoredStatus
  readonly wake: WakeRule
  readonly records: readonly Put[]
  readonly events?: readonly JsonText[] | undefined
  readonly claim?: Claim | undefined
}

/** Somebody took the thread; each claim has a higher fence. */
export interface ClaimChange extends Claim {
  readonly kind: 'claim'
  readonly at: string
  readonly fence: number
}

/** A batch that was checked: `version` and `status` are what it leads to. */
export interface CommitChange {
  readonly kind: 'commit'
  readonly at: string
  readonly version: number
  readonly status: StoredStatus
  readonly label: string
  readonly meta?: JsonText | undefined
  readonly wake?: WakeRule | undefined
  readonly puts?: readonly Put[] | undefined
  readonly deletes?: readonly string[] | undefined
  readonly cancel?: readonly string[] | undefined
  readonly expire?: readonly string[] | undefined
  readonly open?: readonly NewInterrupt[] | undefined
  readonly answer?: readonly GivenAnswer[] | undefined
  readonly consume?: readonly string[] | undefined
  readonly events?: readonly JsonText[] | undefined
  readonly runAfter?: string | undefined
}

/** Answers from outside. `through` numbers them, so that none is taken in twice. */
export interface AnswerChange {
  readonly kind: 'answer'
  readonly at: string
  readonly answers: readonly GivenAnswer[]
  readonly through?: number | undefined
}

/** The thread was given back without a commit. */
export interface ReleaseChange {
  readonly kind: 'release'
  readonly at: string
  readonly status: StoredStatus
  readonly runAfter?: string | undefined
}

/** One thing that happened to a thread; a thread is the fold of its changes. */
export type Change = CreateChange | ClaimChange | CommitChange | AnswerChange | ReleaseChange
