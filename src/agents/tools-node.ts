import { HexagonError } from '../core/errors.ts'
import { toolCallsOf, toolMessage, type Message, type ToolMessage } from './message.ts'
import { runToolCalls, type ToolCallOptions } from './tool-calls.ts'
import type { Tool } from './tool.ts'

export interface ToolsNodeOptions<Key extends string> extends ToolCallOptions {
  /** The state key that holds the messages; default `messages`. Its reducer appends. */
  readonly key?: Key
}

/**
 * A node that runs the tool calls of the last message and gives one message for each, in call order.
 * Calls that ask keep the others' results; answered, only they run again.
 */
export function toolsNode<Key extends string = 'messages'>(
  tools: readonly Tool[],
  options: ToolsNodeOptions<Key> = {},
): (state: Readonly<Record<string, unknown>>) => Promise<Record<Key, ToolMessage[]>> {
  const key = options.key ?? 'messages'
  const twice = tools.find(({ name }, index) => tools.findIndex((one) => one.name === name) < index)
  if (twice !== undefined)
    throw new HexagonError('E2133', `Two tools are called "${twice.name}"`, {
      hint: 'A model tells tools apart by their names.',
    })
  return async (state) => {
    const calls = toolCallsOf(lastMessage(state[key], key))
    if (calls.length === 0)
      throw new HexagonError('E2135', `The last of "${key}" calls no tool`, {
        hint: 'Lead here only after an assistant message with tool calls.',
      })
    const outputs = await runToolCalls(tools, calls, options)
    const messages = calls.flatMap((call, index) => {
      const output = outputs[index]
      return output === undefined ? [] : [toolMessage(call, output)]
    })
    return { [key]: messages } as Record<Key, ToolMessage[]>
  }
}

function lastMessage(messages: unknown, key: string): Message {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (isMessage(last) && last.role === 'assistant') return last
  throw new HexagonError('E2135', `The last of "${key}" is no message of an assistant`, {
    hint: 'Lead here only after an assistant message with tool calls.',
  })
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'role' in value && 'content' in value
}
