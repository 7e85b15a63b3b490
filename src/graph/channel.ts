import { UnknownNameError } from '../core/errors.ts'

const CHANNEL: unique symbol = Symbol.for('hexagon.channel')

/** How a state key starts and takes updates. */
export interface Channel<Value, Update = Value> {
  readonly initial: Value
  /** Folds an update into the value; without it an update replaces the value. Pure. */
  readonly reduce: ((value: Value, update: Update) => Value) | undefined
  readonly [CHANNEL]: true
}

/** A state key with a reducer: `channel<string[]>({ initial: [], reduce: (a, b) => [...a, ...b] })`. */
export function channel<Value, Update = Value>(options: {
  readonly initial: Value
  readonly reduce?: (value: Value, update: Update) => Value
}): Channel<Value, Update> {
  return { initial: options.initial, reduce: options.reduce, [CHANNEL]: true }
}

/** What a graph's `state` option may hold: initial values and channels. */
export type StateSpec = Readonly<Record<string, unknown>>

/** The state a node reads. */
export type StateOf<Spec> = {
  readonly [Key in keyof Spec]: Spec[Key] extends Channel<infer Value, infer _Update>
    ? Value
    : Spec[Key]
}

/** What a node may return: the keys it changes. */
export type UpdateOf<Spec> = {
  readonly [Key in keyof Spec]?: Spec[Key] extends Channel<infer _Value, infer Update>
    ? Update
    : Spec[Key]
}

/** Channels by key, ready to fold. */
export class Channels {
  readonly keys: readonly string[]
  readonly #channels: ReadonlyMap<string, Channel<unknown, unknown>>

  constructor(spec: StateSpec) {
    this.#channels = new Map(
      Object.entries(spec).map(([key, value]) => [
        key,
        isChannel(value) ? value : channel({ initial: value }),
      ]),
    )
    this.keys = [...this.#channels.keys()]
  }

  has(key: string): boolean {
    return this.#channels.has(key)
  }

  /** True for a declared key whose updates take the place of its value. */
  replaces(key: string): boolean {
    const found = this.#channels.get(key)
    return found !== undefined && found.reduce === undefined
  }

  /** True when several tasks may write the key in one superstep. */
  folds(key: string): boolean {
    return this.#channels.get(key)?.reduce !== undefined
  }

  initial(key: string): unknown {
    return this.#channels.get(key)?.initial
  }

  reduce(key: string, value: unknown, update: unknown): unknown {
    const reduce = this.#channels.get(key)?.reduce
    return reduce === undefined ? update : reduce(value, update)
  }

  /** @throws UnknownNameError for a key the graph does not declare */
  refuse(key: string, where: string): never {
    throw new UnknownNameError({ kind: 'state key', name: key, where, known: this.keys })
  }
}

function isChannel(value: unknown): value is Channel<unknown, unknown> {
  return typeof value === 'object' && value !== null && CHANNEL in value
}
