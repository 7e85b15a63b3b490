import type { Address } from '../core/address.ts'
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
  answer?: { readonly value: unknown }
}

/** A remembered result inside a task. `order` is its position when the task ran one thing after another. */
export type Memo =
  | {
      readonly kind: 'step'
      readonly name: string
      readonly value: unknown
      readonly order?: number
    }
  | { readonly kind: 'intent'; readonly name: string; readonly at: string }
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
