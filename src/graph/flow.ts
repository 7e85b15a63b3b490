import { HexagonError, InvalidAnswerError } from '../core/errors.ts'
import { isFlow } from '../core/flow.ts'
import { check, type Schema } from '../core/schema.ts'
import { seal } from '../core/seal.ts'
import { currentScope } from '../runtime/carrier.ts'
import type { Runnable } from '../runtime/runnable.ts'
import { END, START } from './command.ts'
import type { NodeOptions } from './definition.ts'
import { Graph, isRunnable } from './graph.ts'
import { invokeInside } from './invoke-inside.ts'
import { invokeAlone, type InvokeOptions } from './invoke.ts'
import type { NodeContext } from './node-context.ts'

/** What a flow function is declared with. */
export interface FlowOptions extends NodeOptions {
  readonly input?: Schema
}

type Held = { readonly output: unknown }

/** A flow that is one function: loops and `Promise.all` over `step()` and `interrupt…()` just work. */
export class FunctionFlow<Output = unknown> extends Graph<Held, string> {
  readonly #schema: Schema | undefined

  constructor(
    name: string,
    body: (input: never, ctx: NodeContext) => Output | Promise<Output>,
    options: FlowOptions,
  ) {
    super(name, { state: { output: undefined }, output: ({ output }) => output })
    const { input, ...rest } = options
    this.#schema = input
    this.node(
      name,
      async (_state: unknown, ctx: NodeContext) => ({
        output: await body(ctx.input as never, ctx),
      }),
      rest,
    )
    this.edge(START, name).edge(name, END)
  }

  override async checkInput(input: unknown): Promise<unknown> {
    if (this.#schema === undefined) return seal(input, 'input')
    const checked = await check(this.#schema, input)
    if (checked.ok) return seal(checked.value, 'input')
    throw new InvalidAnswerError('E1217', `Flow "${this.name}" refuses its input`, checked.problems)
  }

  override async invoke(input?: unknown, options: InvokeOptions = {}): Promise<Output> {
    const checked = await this.checkInput(input)
    const output =
      currentScope() === undefined
        ? invokeAlone(this, checked, options)
        : invokeInside(this.definition(), checked, `${this.name}.invoke()`)
    return (await output) as Output
  }
}

/** Names a function as a flow: `flow('hello', async (input) => …)`. */
export function flow<Input = unknown, Output = unknown>(
  name: string,
  body: (input: Input, ctx: NodeContext) => Output | Promise<Output>,
  options: FlowOptions = {},
): FunctionFlow<Output> {
  if (typeof name !== 'string' || name === '')
    throw new HexagonError('E1118', 'A flow needs a name', {
      hint: "flow('hello', async (input) => …)",
    })
  return new FunctionFlow(name, body, options)
}

/** Anything a flow file may export, as the runner drives it; `fallback` names a function without a name. */
export function asRunnable(value: unknown, fallback = 'flow'): Runnable {
  if (isFlow(value) && isRunnable(value)) return value
  if (typeof value === 'function') {
    const name = value.name === '' || value.name === 'default' ? fallback : value.name
    return flow(name, value as (input: unknown, ctx: NodeContext) => unknown)
  }
  throw new HexagonError('E1111', 'This is not a flow', {
    hint: 'Export a graph, a flow() or an async function.',
  })
}
