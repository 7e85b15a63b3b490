// The calls of one message: side by side or one after another, each in a scope of its own. What is finished
// stays finished over any number of entries; only open calls run again.

import { UnknownNameError } from '../core/errors.ts'
import { compositeInterrupt } from '../runtime/component.ts'
import { findSignal } from '../runtime/signal.ts'
import type { ToolCall, ToolOutput } from './message.ts'
import { outputOf } from './message.ts'
import { runTool } from './run-tool.ts'
import type { Tool } from './tool.ts'

/** How the calls of a message are run. */
export interface ToolCallOptions {
  /** Side by side (default), or one after another: then the first that asks or fails stops the rest. */
  readonly order?: 'side by side' | 'in turn'
  /** What a call of a tool that is not there gives the model; without it such a call is an error. */
  readonly onUnknownTool?: (call: ToolCall) => unknown
  /** Turns errors of tools into text for the model. Questions pass. */
  readonly onError?: (error: unknown, call: ToolCall) => string
}

/** What the question of several calls tells: which are done, and which run again. */
export interface ToolCallsInfo {
  readonly calls: readonly ToolCall[]
  readonly executed: Readonly<Record<string, ToolOutput>>
  /** Ids of the calls that run again, in call order. */
  readonly rerun: readonly string[]
  /** What each of them asks, by call id. */
  readonly extras: Readonly<Record<string, unknown>>
}

type Settled =
  | { readonly call: ToolCall; readonly output: ToolOutput }
  | { readonly call: ToolCall; readonly error: unknown }

/**
 * Runs calls and gives what came of each, in call order.
 * @throws InterruptSignal when some ask, CompositeError when others failed beside them
 */
export async function runToolCalls(
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  options: ToolCallOptions = {},
): Promise<ToolOutput[]> {
  const runs = calls.map((call) => ({ call, run: plan(tools, call, options) }))
  const settled =
    options.order === 'in turn'
      ? await inTurn(runs, options)
      : await Promise.all(runs.map((one) => settle(one, options)))
  const errors = settled.flatMap((one) => ('error' in one ? [one.error] : []))
  if (errors.length === 1 && findSignal(errors[0]) === undefined) throw errors[0]
  if (errors.length > 0) throw gathered(calls, settled, errors)
  return settled.flatMap((one) => ('output' in one ? [one.output] : []))
}

interface Planned {
  readonly call: ToolCall
  readonly run: () => Promise<ToolOutput>
}

/** How a call is run. @throws UnknownNameError before anything runs */
function plan(
  tools: readonly Tool[],
  call: ToolCall,
  { onUnknownTool }: ToolCallOptions,
): Planned['run'] {
  const tool = tools.find(({ name }) => name === call.toolName)
  if (tool !== undefined) return () => runTool(tool, call)
  if (onUnknownTool !== undefined) return async () => outputOf(await onUnknownTool(call))
  throw new UnknownNameError({
    kind: 'tool',
    name: call.toolName,
    where: `call "${call.toolCallId}"`,
    known: tools.map(({ name }) => name),
  })
}

async function inTurn(runs: readonly Planned[], options: ToolCallOptions): Promise<Settled[]> {
  const settled: Settled[] = []
  for (const one of runs) {
    const done = await settle(one, options)
    settled.push(done)
    if ('error' in done) break
  }
  return settled
}

async function settle({ call, run }: Planned, { onError }: ToolCallOptions): Promise<Settled> {
  try {
    return { call, output: await run() }
  } catch (error) {
    if (onError === undefined || findSignal(error) !== undefined) return { call, error }
    return { call, output: { type: 'error-text', value: onError(error, call) } }
  }
}

function gathered(
  calls: readonly ToolCall[],
  settled: readonly Settled[],
  errors: readonly unknown[],
): Error {
  const done = settled.flatMap((one) => ('output' in one ? [one] : []))
  const info: ToolCallsInfo = {
    calls,
    executed: Object.fromEntries(done.map(({ call, output }) => [call.toolCallId, output])),
    rerun: calls
      .map(({ toolCallId }) => toolCallId)
      .filter((id) => !done.some(({ call }) => call.toolCallId === id)),
    extras: Object.fromEntries(
      settled.flatMap((one) => {
        const signal = 'error' in one ? findSignal(one.error) : undefined
        return signal === undefined ? [] : [[one.call.toolCallId, signal.info]]
      }),
    ),
  }
  return compositeInterrupt(info, undefined, errors)
}
