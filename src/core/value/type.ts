/** How one class of values is taken apart into plainer ones and made again. */
export interface ValueType {
  /** The tag under which it is stored. */
  readonly name: string
  readonly prototype: object
  /** The parts it is stored as; they may hold values of any known type. */
  take(value: object): unknown
  /** The value again; throws when the parts can't have come from `take`. */
  make(parts: unknown): object
  /** A copy that shares nothing with `value`, where that is cheaper than taking it apart. */
  copy?(value: object): object
  /** For parts that are a list (1) or a list of lists (2) of values, made by `take` and by nobody else. */
  readonly lists?: 1 | 2
  /** True where named properties beside the parts would be lost, and are refused. */
  readonly closed?: boolean
  /** True for types that came through registerType(). */
  readonly registered?: boolean
  /** A part that says nothing about what the value means: it is stored, but not compared. */
  readonly incidental?: string
}

/** Throws for parts that are not what `take` gives. */
export function expectParts(holds: boolean, expected: string): asserts holds {
  if (!holds) throw new TypeError(`${expected} was expected`)
}
