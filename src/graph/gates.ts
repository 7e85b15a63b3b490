import type { NodeDefinition } from './definition.ts'
import { Gate } from './gate.ts'

/** The limits a task of one graph instance passes: its node's, and the graph's. */
export class Gates {
  readonly #shared: readonly Gate[]
  readonly #own = new Map<string, Gate>()

  constructor(limit: number | undefined) {
    this.#shared = limit === undefined ? [] : [new Gate(limit)]
  }

  /** Undefined where nothing is limited. */
  of(node: NodeDefinition): Passage | undefined {
    const limit = node.options.maxConcurrency
    const gates =
      limit === undefined ? this.#shared : [this.#ownOf(node.name, limit), ...this.#shared]
    return gates.length === 0 ? undefined : new Passage(gates)
  }

  #ownOf(node: string, limit: number): Gate {
    const own = this.#own.get(node) ?? new Gate(limit)
    this.#own.set(node, own)
    return own
  }
}

/** One way through several gates. */
export class Passage {
  readonly #gates: readonly Gate[]

  constructor(gates: readonly Gate[]) {
    this.#gates = gates
  }

  async enter(): Promise<void> {
    for (const gate of this.#gates) await gate.enter()
  }

  leave(): void {
    for (const gate of this.#gates) gate.leave()
  }
}
