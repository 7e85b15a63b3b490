// Messages as the language models of the AI SDK take them, as far as tools are concerned.

/** A call of a tool that a model wants. */
export interface ToolCall {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments: an object, or the JSON text of one. */
  readonly input: unknown
}

/** What came of a call, for the model to read. */
export type ToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'error-text'; readonly value: string }

export interface ToolResult {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: ToolOutput
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string | readonly TextPart[]
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | readonly (TextPart | ToolCall)[]
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly content: readonly ToolResult[]
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** The calls an assistant's message wants, in its order; none for any other message. */
export function toolCallsOf(message: Message): ToolCall[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.filter((part) => part.type === 'tool-call')
}

/** A call as an assistant says it. */
export function toolCall(toolCallId: string, toolName: string, input: unknown = {}): ToolCall {
  return { type: 'tool-call', toolCallId, toolName, input }
}

/** What came of a call, as a message. */
export function toolMessage({ toolCallId, toolName }: ToolCall, output: ToolOutput): ToolMessage {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
}

/** What a tool returned, for a model: text as text, all else as JSON. */
export function outputOf(value: unknown): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value }
  return { type: 'json', value: value ?? null }
}
