import { HexagonError, messageOf } from '../core/errors.ts'
import { check, type Checked, type Infer, type Schema } from '../core/schema.ts'
import { findSignal } from '../runtime/signal.ts'

/** What a tool is told about its call. */
export interface ToolInfo {
  readonly toolCallId: string
  readonly toolName: string
  /** The same on every try of this call, in every process. */
  readonly idempotencyKey: string
  /** Fires when the run stops at once. */
  readonly abortSignal: AbortSignal
}

/** What a model may call. It may ask, like a node; its result is kept once it is there. */
export interface Tool<Input = never, Output = unknown> {
  readonly name: string
  readonly description: string
  /** What the arguments must pass before anybody is asked or anything runs. */
  readonly parameters?: Schema | undefined
  /** Asks a person before it runs: always, or for some arguments. */
  readonly needsApproval?:
    | boolean
    | ((input: Input, info: ToolInfo) => boolean | Promise<boolean>)
    | undefined
  /** The approval takes more than one key press, and is never answered in bulk. */
  readonly danger?: boolean | undefined
  /** A stream of parts is collected before it counts as the result. */
  readonly execute: (
    input: Input,
    info: ToolInfo,
  ) => Output | Promise<Output> | AsyncIterable<Output>
}

/** Declares a tool; the type of its arguments follows from `parameters`. */
export function tool<S extends Schema, Output>(
  definition: Tool<Infer<S>, Output> & { readonly parameters: S },
): Tool<Infer<S>, Output>
export function tool<Output>(definition: Tool<unknown, Output>): Tool<unknown, Output>
export function tool(definition: Tool<unknown>): Tool<unknown> {
  const { name, execute } = definition
  if (typeof name !== 'string' || name === '')
    throw new HexagonError('E2133', 'A tool needs a name', { hint: "tool({ name: 'search', … })" })
  if (typeof execute !== 'function')
    throw new HexagonError('E2133', `Tool "${name}" has nothing to execute`, {
      hint: 'tool({ name, description, parameters, execute })',
    })
  return { ...definition }
}

/** Turns a tool's errors into text for the model. Questions pass: waiting is not a failure. */
export function errorToMessage<Input, Output>(
  wrapped: Tool<Input, Output>,
  format: (error: unknown) => string = (error) => `Error: ${messageOf(error)}`,
): Tool<Input, Output | string> {
  return {
    ...wrapped,
    execute: async (input, info) => {
      try {
        return await collected(wrapped.execute(input, info))
      } catch (error) {
        if (findSignal(error) !== undefined) throw error
        return format(error)
      }
    },
  }
}

/** A result, or the parts of a stream as one: texts put together, others as a list. */
export async function collected<Output>(
  result: Output | Promise<Output> | AsyncIterable<Output>,
): Promise<Output> {
  const value = await result
  if (!isStream(value)) return value
  const parts: unknown[] = []
  for await (const part of value) parts.push(part)
  const texts = parts.every((part) => typeof part === 'string')
  return (texts ? parts.join('') : parts) as Output
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The arguments of a call, read from JSON where they are text, and checked. */
export async function readInput(
  { parameters }: Pick<Tool<unknown>, 'parameters'>,
  input: unknown,
): Promise<Checked<unknown>> {
  const read = typeof input === 'string' ? parse(input) : { ok: true as const, value: input }
  if (!read.ok || parameters === undefined) return read
  return check(parameters, read.value)
}

function parse(text: string): Checked<unknown> {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch (error) {
    return { ok: false, problems: [{ path: '', message: `not JSON: ${messageOf(error)}` }] }
  }
}
