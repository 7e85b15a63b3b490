import fc from 'fast-check'

import {
  channel,
  END,
  graph,
  interruptForChoice,
  interruptForInput,
  Send,
  START,
  step,
  type Graph,
} from '../../src/index.ts'

/** What one node does, in order. `together` asks at once; `once` may look for itself whether it happened. */
export type Op =
  | { readonly kind: 'step' }
  | { readonly kind: 'once'; readonly verify: boolean }
  | { readonly kind: 'ask' }
  | { readonly kind: 'together'; readonly count: number }

/** A flow as a tree of blocks, each with one way in and one way out. */
export type Block =
  | { readonly kind: 'node'; readonly ops: readonly Op[] }
  | { readonly kind: 'sequence'; readonly blocks: readonly Block[] }
  | { readonly kind: 'parallel'; readonly blocks: readonly Block[] }
  | { readonly kind: 'loop'; readonly times: number; readonly block: Block }
  | { readonly kind: 'fan'; readonly count: number; readonly ops: readonly Op[] }
  | { readonly kind: 'subgraph'; readonly block: Block }
  | { readonly kind: 'invoked'; readonly block: Block }

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.constant<Op>({ kind: 'step' }),
  fc.boolean().map((verify): Op => ({ kind: 'once', verify })),
  fc.constant<Op>({ kind: 'ask' }),
  fc.integer({ min: 2, max: 3 }).map((count): Op => ({ kind: 'together', count })),
)
const ops = fc.array(op, { maxLength: 3 })

/** Any block, a few levels deep. */
export const anyBlock: fc.Arbitrary<Block> = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    ops.map((list): Block => ({ kind: 'node', ops: list })),
    fc
      .tuple(fc.integer({ min: 1, max: 3 }), ops)
      .map(([count, list]): Block => ({ kind: 'fan', count, ops: list })),
    fc
      .array(tie('block'), { minLength: 1, maxLength: 3 })
      .map((blocks): Block => ({ kind: 'sequence', blocks })),
    fc
      .array(tie('block'), { minLength: 2, maxLength: 3 })
      .map((blocks): Block => ({ kind: 'parallel', blocks })),
    fc
      .tuple(fc.integer({ min: 2, max: 3 }), tie('block'))
      .map(([times, block]): Block => ({ kind: 'loop', times, block })),
    tie('block').map((block): Block => ({ kind: 'subgraph', block })),
    tie('block').map((block): Block => ({ kind: 'invoked', block })),
  ),
})).block

/** Counts effects by what caused them. */
export class Effects {
  readonly counts = new Map<string, number>()

  /** What steps that run once did, by their key: how often, and with which result. */
  readonly once = new Map<string, { count: number; readonly result: string }>()

  happen(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  happenOnce(name: string, key: string): string {
    this.happen(name)
    const known = this.once.get(key) ?? { count: 0, result: `done ${name}` }
    known.count += 1
    this.once.set(key, known)
    return known.result
  }

  /** The truth about a step that is in doubt. */
  truth(key: string): { happened: true; result: string } | { happened: false } {
    const known = this.once.get(key)
    return known === undefined ? { happened: false } : { happened: true, result: known.result }
  }
}

type AnyGraph = Graph<Readonly<Record<string, unknown>>, string>

const log = () => channel<string[]>({ initial: [], reduce: (list, added) => [...list, ...added] })

/** The answer that a question always gets. */
export function answerTo(message: string): string {
  return `answer to ${message}`
}

/** Builds the graph of a block. Every node and loop has a name of its own, so nothing reads what others write. */
export function graphOf(block: Block, effects: Effects): AnyGraph {
  return new Builder(effects).graph('law', block)
}

interface Ends {
  readonly first: string
  readonly last: string
}

class Builder {
  readonly #effects: Effects
  #count = 0

  constructor(effects: Effects) {
    this.#effects = effects
  }

  graph(name: string, block: Block): AnyGraph {
    const loops = loopsIn(block)
    const counters = Object.fromEntries(loops.map((_, index) => [`${name}_loop${index}`, 0]))
    const made = graph(name, { state: { log: log(), ...counters } }) as unknown as AnyGraph
    const free = Object.keys(counters)
    const { first, last } = this.#place(made, block, free)
    made.edge(START, first).edge(last, END)
    return made
  }

  #name(kind: string): string {
    this.#count += 1
    return `${kind}${this.#count}`
  }

  #place(made: AnyGraph, block: Block, counters: string[]): Ends {
    switch (block.kind) {
      case 'node':
        return this.#node(made, block.ops)
      case 'sequence':
        return this.#sequence(made, block.blocks, counters)
      case 'parallel':
        return this.#parallel(made, block.blocks, counters)
      case 'loop':
        return this.#loop(made, block, counters)
      case 'fan':
        return this.#fan(made, block)
      case 'subgraph': {
        const name = this.#name('sub')
        made.node(name, this.graph(`${name}g`, block.block) as never)
        return { first: name, last: name }
      }
      case 'invoked': {
        const name = this.#name('inv')
        const inner = this.graph(`${name}g`, block.block)
        made.node(name, async () => {
          const result = (await inner.invoke({})) as { log: string[] }
          return { log: [`${name}:${result.log.join(',')}`] }
        })
        return { first: name, last: name }
      }
    }
  }

  #node(made: AnyGraph, list: readonly Op[]): Ends {
    const name = this.#name('node')
    made.node(name, async () => ({ log: [`${name}:${await this.#run(name, list)}`] }))
    return { first: name, last: name }
  }

  async #run(name: string, list: readonly Op[]): Promise<string> {
    const seen: string[] = []
    for (const [index, one] of list.entries()) {
      const place = `${name}/${index}`
      if (one.kind === 'step') {
        seen.push(
          await step(`s${index}`, () => {
            this.#effects.happen(place)
            return `done ${place}`
          }),
        )
      } else if (one.kind === 'once') {
        seen.push(await this.#once(place, one.verify))
      } else if (one.kind === 'ask') {
        seen.push(await interruptForInput(place))
      } else {
        const asked = Array.from({ length: one.count }, (_, at) =>
          interruptForChoice(`${place}.${at}`, [answerTo(`${place}.${at}`), 'never']),
        )
        seen.push(...(await Promise.all(asked)))
      }
    }
    return seen.join('|')
  }

  #once(place: string, verify: boolean): Promise<string> {
    const effects = this.#effects
    return step(place, ({ idempotencyKey }) => effects.happenOnce(place, idempotencyKey), {
      once: true,
      ...(verify ? { verify: ({ idempotencyKey }) => effects.truth(idempotencyKey) } : {}),
    })
  }

  #sequence(made: AnyGraph, blocks: readonly Block[], counters: string[]): Ends {
    const placed = blocks.map((block) => this.#place(made, block, counters))
    for (const [index, { first }] of placed.entries()) {
      const before = placed[index - 1]
      if (before !== undefined) made.edge(before.last, first)
    }
    return { first: placed[0]?.first ?? '', last: placed.at(-1)?.last ?? '' }
  }

  #parallel(made: AnyGraph, blocks: readonly Block[], counters: string[]): Ends {
    const [fork, join] = [this.#name('fork'), this.#name('join')]
    made.node(fork, () => undefined).node(join, () => ({ log: [join] }))
    const placed = blocks.map((block) => this.#place(made, block, counters))
    for (const { first } of placed) made.edge(fork, first)
    made.join(
      join,
      placed.map(({ last }) => last),
    )
    return { first: fork, last: join }
  }

  #loop(
    made: AnyGraph,
    { times, block }: Extract<Block, { kind: 'loop' }>,
    counters: string[],
  ): Ends {
    const counter = counters.shift() ?? ''
    const [begin, turn, leave] = [this.#name('begin'), this.#name('turn'), this.#name('leave')]
    const { first, last } = this.#place(made, block, counters)
    made
      .node(begin, () => ({ [counter]: 0 }))
      .node(turn, (state) => ({ [counter]: (state[counter] as number) + 1 }))
      .node(leave, () => undefined)
    made.edge(begin, first).edge(last, turn)
    made.branch(turn, (state) => ((state[counter] as number) < times ? first : leave), [
      first,
      leave,
    ])
    return { first: begin, last: leave }
  }

  #fan(made: AnyGraph, { count, ops: list }: Extract<Block, { kind: 'fan' }>): Ends {
    const [split, worker, collect] = [
      this.#name('split'),
      this.#name('worker'),
      this.#name('collect'),
    ]
    made
      .node(split, () => undefined)
      .node(worker, async (input: unknown) => {
        const { index } = input as { index: number }
        return { log: [`${worker}#${index}:${await this.#run(`${worker}#${index}`, list)}`] }
      })
      .node(collect, () => ({ log: [collect] }))
    const sends = Array.from(
      { length: count },
      (_, index) => new Send(worker, { index }, { key: `k${index}` }),
    )
    made.branch(split, () => sends, [worker])
    made.join(collect, [worker])
    return { first: split, last: collect }
  }
}

/** Loops that need a counter in this graph, not in a graph inside it. */
function loopsIn(block: Block): Block[] {
  switch (block.kind) {
    case 'sequence':
    case 'parallel':
      return block.blocks.flatMap(loopsIn)
    case 'loop':
      return [block, ...loopsIn(block.block)]
    case 'node':
    case 'fan':
    case 'subgraph':
    case 'invoked':
      return []
  }
}
