import type { Schema } from '../core/schema.ts'
import type { StateOf, StateSpec, UpdateOf } from './channel.ts'
import type { NodeOptions, Prepare, StartInfo } from './definition.ts'
import type { NodeContext } from './node-context.ts'

/** What a graph is declared with. */
export interface GraphOptions<Spec extends StateSpec> {
  /** Initial values, and {@link channel}s where updates are folded. */
  readonly state?: Spec
  /** Any Standard Schema: the input is checked before a thread exists. */
  readonly input?: Schema
  /** The output; the final state otherwise. */
  readonly output?: (state: StateOf<Spec>) => unknown
  /**
   * Called before anything runs: when the graph begins, and again in every process that goes on with it. What it
   * returns is folded into the state, and the nodes that are entered again read it. It may not ask.
   */
  readonly onStart?: (
    state: StateOf<Spec>,
    info: StartInfo,
  ) => UpdateOf<Spec> | void | Promise<UpdateOf<Spec> | void>
  /** Supersteps per thread, over all resumes. Default 10,000. */
  readonly recursionLimit?: number
  /** How many tasks run at once. */
  readonly maxConcurrency?: number
  readonly breakBefore?: readonly string[]
  readonly breakAfter?: readonly string[]
}

/** Options of a node that reads something made for it. */
export interface PreparedOptions<Spec extends StateSpec, Input> extends NodeOptions {
  /**
   * Makes what the node reads: of the state as it is at each entry, or of what a fan-out sent. It may ask, and call
   * steps.
   */
  readonly prepare: (state: StateOf<Spec>, ctx: NodeContext) => Input | Promise<Input>
}

/** How a graph is a node of another. */
export interface SubgraphOptions<Spec extends StateSpec> extends NodeOptions {
  readonly input?: (state: StateOf<Spec>) => Readonly<Record<string, unknown>>
  readonly output?: (state: Readonly<Record<string, unknown>>) => UpdateOf<Spec>
}

/** The options of any node. */
export type AnyNodeOptions<Spec extends StateSpec> = SubgraphOptions<Spec> & {
  readonly prepare?: Prepare
}
