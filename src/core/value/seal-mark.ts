// The mark seal() leaves on what it made: a private field on the frozen object itself. Nobody else can
// see, set or copy it, so a marked object is known to be checked and frozen through. It costs 20 ns an
// object where a WeakMap entry costs 200 and work at each garbage collection.

/** JSON text keeps it as it is. */
export const PLAIN = 0
/** It never changes, but is stored with tags. */
export const TAGGED = 1
/** Something in it can't be frozen: a Map, a Date, an instance of a registered class. */
export const MUTABLE = 2

/** What a sealed value is made of, from its worst part. */
export type SealLevel = typeof PLAIN | typeof TAGGED | typeof MUTABLE

// oxlint-disable-next-line no-extraneous-class -- what it returns is what Mark puts its field on
class Target {
  constructor(target: object) {
    return target
  }
}

class Mark extends Target {
  #level: SealLevel

  constructor(target: object, level: SealLevel) {
    super(target)
    this.#level = level
  }

  static of(target: object): SealLevel | undefined {
    return #level in target ? target.#level : undefined
  }
}

/** Freezes and marks an object whose parts are all sealed; `level` is the worst of theirs. */
export function markSealed(target: object, level: SealLevel): object {
  void new Mark(target, level)
  return Object.freeze(target)
}

/** The level of an object that seal() made, `undefined` for any other. */
export function sealLevel(value: object): SealLevel | undefined {
  return Mark.of(value)
}
