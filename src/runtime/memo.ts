import type { Address } from '../core/address.ts'
import type { DoubtCause } from '../core/command.ts'
import type { ErrorRecord } from '../core/event.ts'
import type { QuestionRow } from './question.ts'

/** A node of a component's signal: the question of a leaf, and what the component kept. */
export interface ComponentMemo {
  readonly kind: 'component'
  readonly id: string
  readonly address: Address
  /** The scope that made the signal. */
  readonly place: string
  /** Absent for a composite, which asks nothing itself. */
  readonly row?: QuestionRow
  readonly state?: { readonly value: unknown } | undefined
  /** What a composite says of itself; a leaf's is its question's payload. */
  readonly info?: unknown
  answer?: { readonly value: unknown }
}

/** A step with `once` was begun, and no result of it is known. Its receipt takes this one's place. */
export interface IntentMemo {
  readonly kind: 'intent'
  readonly name: string
  readonly address: Address
  /** ISO time at which its body was called last. */
  readonly at: string
  /** Counted up whenever its body is called, and when it is in doubt anew: one question each. */
  readonly round: number
  readonly why: DoubtCause
  /** More about why: the message of the failure, or the time limit. */
  readonly note?: string
  /** What its body was given: of the thread it ran in, which a fork is not. */
  readonly idempotencyKey: string
  readonly args?: unknown
  /** The code was told that it failed: entered again, it is told the same. */
  readonly failed?: ErrorRecord
}

/** A remembered result inside a task. `order` is its position when the task ran one thing after another. */
export type Memo =
  | {
      readonly kind: 'step'
      readonly name: string
      readonly value: unknown
      readonly order?: number
    }
  | IntentMemo
  | {
      readonly kind: 'question'
      row: QuestionRow
      answer?: { readonly value: unknown }
      expired?: boolean
      readonly order?: number
    }
  /** How many answers the task had when it came to rest: with no more than those it has nothing to take. */
  | { readonly kind: 'seen'; readonly answers: number }
  | ComponentMemo

/** Questions that nothing has come of. */
export function* openIn(memos: ReadonlyMap<string, Memo>): Generator<QuestionRow> {
  for (const memo of memos.values())
    if (memo.kind === 'question' && memo.answer === undefined && memo.expired !== true)
      yield memo.row
}

/** What was done one after another, with its position. */
export function* orderedIn(memos: ReadonlyMap<string, Memo>): Generator<[number, Memo]> {
  for (const memo of memos.values()) {
    const done = memo.kind === 'step' || (memo.kind === 'question' && memo.answer !== undefined)
    if (done && memo.order !== undefined) yield [memo.order, memo]
  }
}
