import { segment, type Address } from '../core/address.ts'
import { encodeName } from '../core/encoded-name.ts'
import {
  DefinitionError,
  HexagonError,
  InvalidAnswerError,
  UnknownNameError,
} from '../core/errors.ts'
import { FLOW, type EdgeShape, type Flow, type FlowShape } from '../core/flow.ts'
import { check } from '../core/schema.ts'
import { seal } from '../core/seal.ts'
import { currentScope } from '../runtime/carrier.ts'
import type { Engine } from '../runtime/engine.ts'
import type { Located, Runnable, Running } from '../runtime/runnable.ts'
import { Channels, type StateOf, type StateSpec, type UpdateOf } from './channel.ts'
import type { Command, END, Send, START } from './command.ts'
import type {
  BranchDefinition,
  GraphDefinition,
  JoinDefinition,
  NodeBody,
  NodeDefinition,
  NodeOptions,
  SubgraphTarget,
} from './definition.ts'
import type {
  AnyNodeOptions,
  GraphOptions,
  PreparedOptions,
  SubgraphOptions,
} from './graph-options.ts'
import { invokeInside } from './invoke-inside.ts'
import { invokeAlone, type InvokeOptions } from './invoke.ts'
import { mermaidOf } from './mermaid.ts'
import type { NodeContext } from './node-context.ts'
import { checkUpdate, readTargets } from './node-result.ts'
import { startRoot } from './root.ts'
import { findProblems } from './validate.ts'
import { straightOf, targetsOf } from './ways.ts'

type Result<Spec> = UpdateOf<Spec> | Command | readonly Command[] | void | undefined | null
type Routing<To extends string> = To | Send<To> | readonly (To | Send<To>)[]

/** A graph: nodes that read and update one state, and the ways between them. `Node` is the union of its names. */
export class Graph<
  Spec extends StateSpec = StateSpec,
  Node extends string = never,
> implements Runnable {
  readonly [FLOW] = { kind: 'graph', version: 1 } as const
  readonly name: string
  readonly #options: GraphOptions<Spec>
  readonly #channels: Channels
  readonly #nodes: NodeDefinition[] = []
  readonly #edges: [string, string][] = []
  readonly #branches: { from: string; branch: BranchDefinition }[] = []
  readonly #joins: JoinDefinition[] = []
  #definition: GraphDefinition | undefined

  constructor(name: string, options: GraphOptions<Spec>) {
    this.name = name
    this.#options = options
    this.#channels = new Channels(options.state ?? {})
  }

  /** Adds a node: a function of the state, or another graph. */
  node<Name extends string>(
    name: Name,
    body: (state: StateOf<Spec>, ctx: NodeContext) => Result<Spec> | Promise<Result<Spec>>,
    options?: NodeOptions,
  ): Graph<Spec, Node | Name>
  node<Name extends string>(
    name: Name,
    body: SubgraphTarget,
    options?: SubgraphOptions<Spec>,
  ): Graph<Spec, Node | Name>
  node<Name extends string, Input>(
    name: Name,
    body: (input: Input, ctx: NodeContext) => Result<Spec> | Promise<Result<Spec>>,
    options: PreparedOptions<Spec, Input>,
  ): Graph<Spec, Node | Name>
  // A node that only fan-out tasks enter reads their input.
  node<Name extends string, Input>(
    name: Name,
    body: (input: Input, ctx: NodeContext) => Result<Spec> | Promise<Result<Spec>>,
    options?: NodeOptions,
  ): Graph<Spec, Node | Name>
  node(name: string, body: unknown, options: AnyNodeOptions<Spec> = {}): Graph<Spec> {
    const { input, output, prepare, ...rest } = options
    const named = {
      name,
      tag: encodeName(name),
      address: [segment('node', name)] as const,
      order: [this.#nodes.length] as const,
      options: rest,
    }
    if (typeof body === 'function')
      this.#nodes.push({ ...named, body: { kind: 'function', run: body as NodeBody, prepare } })
    else if (isGraph(body)) {
      const mappers = { input: input as never, output: output as never }
      this.#nodes.push({ ...named, body: { kind: 'subgraph', graph: body, ...mappers } })
    } else
      throw new DefinitionError(this.name, [`node "${name}" is neither a function nor a graph`])
    return this.#changed()
  }

  /** Leads from one node to the next; `to` runs on any delivery. */
  edge(from: Node | typeof START, to: Node | typeof END): this {
    this.#edges.push([from, to])
    this.#changed()
    return this
  }

  /** Chooses where to go on after `from`: one or several of `targets`, or Sends of them. */
  branch<const To extends readonly (Node | typeof END)[]>(
    from: Node | typeof START,
    router: (
      state: StateOf<Spec>,
      ctx: NodeContext,
    ) => Routing<To[number]> | Promise<Routing<To[number]>>,
    targets: To,
  ): this {
    this.#branches.push({ from, branch: { router: router, targets } })
    this.#changed()
    return this
  }

  /** `node` runs once when each of `from` has delivered or can no longer be reached. */
  join(node: Node, from: readonly Node[]): this {
    this.#joins.push({ node, from })
    this.#changed()
    return this
  }

  #changed(): Graph<Spec> {
    this.#definition = undefined
    return this
  }

  /** The checked graph. @throws DefinitionError with every problem */
  definition(): GraphDefinition {
    this.#definition ??= this.#build()
    return this.#definition
  }

  #build(): GraphDefinition {
    const {
      recursionLimit = 10_000,
      maxConcurrency,
      breakBefore = [],
      breakAfter = [],
      input,
      output,
      onStart,
    } = this.#options
    const nodes = new Map(this.#nodes.map((node) => [node.name, node]))
    const edges = groupBy(this.#edges.map(([from, to]) => [from, to] as const))
    const branches = groupBy(this.#branches.map(({ from, branch }) => [from, branch] as const))
    const targets = targetsOf(edges)
    const definition: GraphDefinition = {
      name: this.name,
      channels: this.#channels,
      input,
      output: output,
      onStart,
      nodes,
      edges,
      targets,
      straight: straightOf(nodes, targets, branches),
      branches,
      joins: this.#joins,
      recursionLimit,
      maxConcurrency,
      breakBefore,
      breakAfter,
    }
    const problems = findProblems(
      {
        nodes: this.#nodes.map(({ name }) => name),
        edges: this.#edges,
        branches: this.#branches.map(({ from, branch }) => ({ from, targets: branch.targets })),
        joins: this.#joins,
        breaks: [...breakBefore, ...breakAfter],
      },
      definition,
    )
    if (!(Number.isInteger(recursionLimit) && recursionLimit > 0))
      problems.push(`recursionLimit is ${recursionLimit}, a whole number above 0 is wanted`)
    if (problems.length > 0) throw new DefinitionError(this.name, problems)
    return definition
  }

  describe(): FlowShape {
    const { nodes, edges, branches, joins } = this.definition()
    const links: EdgeShape[] = [
      ...[...edges].flatMap(([from, list]) =>
        list.map((to) => ({ from, to, kind: 'edge' as const })),
      ),
      ...[...branches].flatMap(([from, list]) =>
        list.flatMap(({ targets }) => targets.map((to) => ({ from, to, kind: 'branch' as const }))),
      ),
      ...joins.flatMap(({ node, from }) =>
        from.map((name) => ({ from: name, to: node, kind: 'join' as const })),
      ),
    ]
    return {
      name: this.name,
      nodes: [...nodes.values()].map(({ name, body }) =>
        body.kind === 'subgraph' && isGraph(body.graph)
          ? { name, kind: 'subgraph', shape: body.graph.describe() }
          : { name, kind: 'function' },
      ),
      edges: links,
    }
  }

  toMermaid(): string {
    return mermaidOf(this.describe())
  }

  async checkInput(input: unknown): Promise<unknown> {
    const definition = this.definition()
    if (definition.input === undefined) return this.#checkStateInput(input)
    const checked = await check(definition.input, input)
    if (checked.ok) return seal(checked.value, 'input')
    throw new InvalidAnswerError('E1217', `Flow "${this.name}" refuses its input`, checked.problems)
  }

  #checkStateInput(input: unknown): unknown {
    if (input === undefined || input === null) return {}
    if (typeof input !== 'object' || Array.isArray(input)) {
      throw new InvalidAnswerError('E1217', `Flow "${this.name}" refuses its input`, [
        { path: '', message: 'an object with state keys is wanted' },
      ])
    }
    for (const key of Object.keys(input)) {
      if (!this.#channels.has(key))
        throw new UnknownNameError({
          kind: 'state key',
          name: key,
          where: `the input of flow "${this.name}"`,
          known: this.#channels.keys,
        })
    }
    return seal(input, 'input')
  }

  checkCommand({ update, goto, within = [] }: Parameters<Runnable['checkCommand']>[0]): void {
    const [first, ...rest] = within
    if (first !== undefined) {
      const body = this.definition().nodes.get(first.id)?.body
      if (body?.kind === 'subgraph' && isGraph(body.graph))
        return body.graph.checkCommand({ update, goto, within: rest })
      const known = [...this.definition().nodes.keys()]
      throw new UnknownNameError({ kind: 'subgraph', name: first.id, where: this.name, known })
    }
    if (update !== undefined) checkUpdate(update, this.#channels, () => 'update')
    if (goto !== undefined) readTargets(goto, { definition: this.definition(), where: 'goto' })
  }

  locate(address: Address): Located {
    const [first, ...rest] = address
    if (first?.type !== 'node') return { found: true }
    const { nodes } = this.definition()
    const node = nodes.get(first.id)
    if (node === undefined) return { found: false, name: first.id, known: [...nodes.keys()] }
    return node.body.kind === 'subgraph' && isGraph(node.body.graph)
      ? node.body.graph.locate(rest)
      : { found: true }
  }

  start(run: Engine, input: unknown): Running {
    return startRoot(this.definition(), run, input)
  }

  /**
   * Runs the graph and gives its output: below the current node when there is one, else on its own, in
   * memory, where it may wait for a person only if `onInterrupt` answers.
   */
  async invoke(input?: unknown, options: InvokeOptions = {}): Promise<unknown> {
    const checked = await this.checkInput(input)
    if (currentScope() !== undefined)
      return invokeInside(this.definition(), checked, `${this.name}.invoke()`)
    return invokeAlone(this, checked, options)
  }
}

/** A graph of any copy of the package. */
export function isGraph(value: unknown): value is Graph {
  return (
    typeof value === 'object' &&
    value !== null &&
    FLOW in value &&
    'definition' in value &&
    typeof value.definition === 'function'
  )
}

/** Begins a graph: `graph('release', { state: { … } }).node(…).edge(START, …)`. */
export function graph<Spec extends StateSpec = StateSpec>(
  name: string,
  options: GraphOptions<Spec> = {},
): Graph<Spec> {
  if (typeof name !== 'string' || name === '')
    throw new HexagonError('E1118', 'A graph needs a name', { hint: "graph('release', { … })" })
  return new Graph(name, options)
}

/** A flow as the engine drives it. @throws HexagonError when `value` is none */
export function isRunnable(value: Flow): value is Runnable {
  return 'start' in value && typeof value.start === 'function'
}

function groupBy<T>(pairs: readonly (readonly [string, T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}
