import type { AddressSegment } from '../core/address.ts'
import type { Schema } from '../core/schema.ts'
import type { RetryOptions } from '../runtime/retry.ts'
import type { Channels } from './channel.ts'
import type { Command, Send } from './command.ts'
import type { NodeContext } from './node-context.ts'
import type { Target } from './task.ts'

/** What a node's function may give back. */
export type NodeResult =
  | Readonly<Record<string, unknown>>
  | Command
  | readonly Command[]
  | void
  | undefined
  | null

/** A node as the engine calls it. */
export type NodeBody = (state: never, ctx: NodeContext) => NodeResult | Promise<NodeResult>

/** Makes what a node reads. */
export type Prepare = (state: never, ctx: NodeContext) => unknown

/** Told to a start hook. */
export interface StartInfo {
  /** True when an earlier process began to run the graph. */
  readonly resumed: boolean
}

/** Called when a process begins to run a graph, or goes on with it; gives an update of the state, or nothing. */
export type StartHook = (state: never, info: StartInfo) => unknown

export interface NodeOptions {
  readonly retry?: RetryOptions
  /** How long one entry may take, without the time it waits for people: `'30s'` or milliseconds. */
  readonly timeout?: string | number
  /** How many tasks of this node run at once. */
  readonly maxConcurrency?: number
  /** Where its commands may jump to, when no edge says so. */
  readonly ends?: readonly string[]
}

/** Another graph as a node. */
export interface SubgraphBody {
  readonly graph: SubgraphTarget
  readonly input:
    | ((state: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)
    | undefined
  readonly output:
    | ((state: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)
    | undefined
}

/** The part of a graph that a node of another graph needs. */
export interface SubgraphTarget {
  readonly name: string
  definition(): GraphDefinition
}

export interface NodeDefinition {
  readonly name: string
  /** The name as it stands in task ids. */
  readonly tag: string
  /** Its address in a graph that is the whole of a thread. */
  readonly address: readonly [AddressSegment]
  /** Its place among the tasks of one superstep. */
  readonly order: readonly [index: number]
  readonly body:
    | {
        readonly kind: 'function'
        readonly run: NodeBody
        readonly prepare?: Prepare | undefined
      }
    | ({ readonly kind: 'subgraph' } & SubgraphBody)
  readonly options: NodeOptions
}

/** Chooses one or several of the declared targets, or fan-out tasks of them. */
export type Router = (state: never, ctx: NodeContext) => Routed | Promise<Routed>
export type Routed = string | Send | readonly (string | Send)[]

export interface BranchDefinition {
  readonly router: Router
  readonly targets: readonly string[]
}

export interface JoinDefinition {
  readonly node: string
  readonly from: readonly string[]
}

/** A node with nothing around its entries, and the one node it leads to. */
export interface Straight {
  readonly node: NodeDefinition
  readonly to: NodeDefinition
}

/** A graph, whole and checked; what the engine runs. */
export interface GraphDefinition {
  readonly name: string
  readonly channels: Channels
  readonly input: Schema | undefined
  readonly output: ((state: never) => unknown) | undefined
  readonly onStart: StartHook | undefined
  readonly nodes: ReadonlyMap<string, NodeDefinition>
  readonly edges: ReadonlyMap<string, readonly string[]>
  /** Where edges lead from each node, but for END. */
  readonly targets: ReadonlyMap<string, readonly Target[]>
  /** Plain nodes that lead to one other node, always. */
  readonly straight: ReadonlyMap<string, Straight>
  readonly branches: ReadonlyMap<string, readonly BranchDefinition[]>
  readonly joins: readonly JoinDefinition[]
  readonly recursionLimit: number
  readonly maxConcurrency: number | undefined
  readonly breakBefore: readonly string[]
  readonly breakAfter: readonly string[]
}
