import type { Address } from './address.ts'

/**
 * What a question asks for; `breakpoint` stops without a value, `doubt` asks whether a step with `once`
 * happened, `custom` is anything else.
 */
export type InterruptKind =
  | 'approval'
  | 'choice'
  | 'input'
  | 'form'
  | 'breakpoint'
  | 'doubt'
  | 'custom'

/** One option of a choice. */
export interface Choice {
  readonly value: unknown
  readonly name: string
  readonly description?: string
}

/** A question that was answered for something else than is asked now. */
export interface ChangedQuestion {
  readonly message: string
  readonly payload: unknown
  readonly digest: string
}

/** An open question as everybody sees it: results, events, `pending`, `show`. */
export interface Interrupt {
  readonly id: string
  readonly threadId: string
  /** The component that asks. */
  readonly address: Address
  /** The name answers may use instead of the id: the `key` option, or the address as text. */
  readonly key: string
  /** Position among all questions ever opened in the thread, from 1: `#1`. */
  readonly ordinal: number
  readonly kind: InterruptKind
  readonly message: string
  readonly payload: unknown
  readonly choices?: readonly Choice[]
  /** JSON Schema of the answer, when the question has a schema that tells. */
  readonly schema?: unknown
  readonly default?: unknown
  readonly multiline?: boolean
  /** Shown and logged as `••••`. */
  readonly secret?: boolean
  /** Needs more than one key press, and is never answered by `--yes`. */
  readonly danger?: boolean
  /** The answer to an approval keeps `{ approved, reason, edited }`. */
  readonly detail?: boolean
  readonly metadata?: unknown
  /** Hash of kind, message, payload, choices and schema: what an answer is bound to. */
  readonly digest: string
  /** ISO time. */
  readonly openedAt: string
  /** ISO time. */
  readonly expiresAt?: string
  readonly changedFrom?: ChangedQuestion
}

/** How an answer came. */
export type AnswerVia =
  | 'call'
  | 'prompt'
  | 'flag'
  | '--yes'
  | '--answers'
  | 'default'
  | 'timeout'
  | 'verify'

/** Who answered, when and how; stored with the answer. */
export interface AnswerSource {
  /** The claimed name. */
  readonly by?: string
  /** The operating system's user. */
  readonly osUser?: string
  readonly via?: AnswerVia
  /** True when the answer was given before the question was shown. */
  readonly unseen?: boolean
  readonly reason?: string
}
