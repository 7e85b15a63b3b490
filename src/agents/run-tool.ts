import { segment } from '../core/address.ts'
import { HexagonError, type Problem } from '../core/errors.ts'
import { recordOf } from '../runtime/error-record.ts'
import { interruptForApproval, type Approval } from '../runtime/interrupt.ts'
import { rememberedCall, type CallInfo } from '../runtime/remembered-call.ts'
import { findSignal } from '../runtime/signal.ts'
import { outputOf, type ToolCall, type ToolOutput } from './message.ts'
import { collected, readInput, type Tool, type ToolInfo } from './tool.ts'

/** Runs one call in its own scope, `tool:<name>:<callId>`. What came of it is kept. */
export function runTool(tool: Tool, call: ToolCall): Promise<ToolOutput> {
  const { toolCallId, toolName } = call
  return rememberedCall(segment('tool', toolName, toolCallId), (info) =>
    perform(tool as unknown as Tool<unknown>, call, info),
  )
}

async function perform(tool: Tool<unknown>, call: ToolCall, info: CallInfo): Promise<ToolOutput> {
  const { toolCallId, toolName } = call
  const about: ToolInfo = {
    toolCallId,
    toolName,
    idempotencyKey: info.idempotencyKey,
    abortSignal: info.signal,
  }
  const input = await readInput(tool, call.input)
  if (!input.ok) throw refused(call, input.problems)
  const approved = await approve(tool, input.value, about)
  if (!approved.ok) return { type: 'error-text', value: approved.text }
  info.emit({ type: 'tool:start', tool: toolName, callId: toolCallId, args: approved.input })
  try {
    const result = await collected(tool.execute(approved.input, about))
    info.emit({ type: 'tool:end', tool: toolName, callId: toolCallId, result })
    return outputOf(result)
  } catch (error) {
    if (findSignal(error) === undefined)
      info.emit({
        type: 'tool:end',
        tool: toolName,
        callId: toolCallId,
        error: recordOf(error),
      })
    throw error
  }
}

type Approved =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly text: string }

/** What a person lets run: the arguments, or those they were changed to. */
async function approve(tool: Tool<unknown>, input: unknown, info: ToolInfo): Promise<Approved> {
  if (!(await isAsked(tool, input, info))) return { ok: true, input }
  const verdict = await interruptForApproval(`Run ${tool.name}?`, {
    detail: true,
    payload: input,
    metadata: { tool: tool.name, callId: info.toolCallId, description: tool.description },
    validate: async (answer: unknown) => complaint(tool, answer as boolean | Approval),
    ...(tool.danger === true ? { danger: true } : {}),
  })
  if (!verdict.approved) return { ok: false, text: rejection(verdict) }
  if (verdict.edited === undefined) return { ok: true, input }
  const edited = await readInput(tool, verdict.edited)
  if (!edited.ok) throw refused(info, edited.problems)
  return { ok: true, input: edited.value }
}

async function isAsked(
  { needsApproval = false }: Tool<unknown>,
  input: unknown,
  info: ToolInfo,
): Promise<boolean> {
  return typeof needsApproval === 'function' ? needsApproval(input, info) : needsApproval
}

/** What is wrong with edited arguments, if anything. */
async function complaint(tool: Tool<unknown>, answer: boolean | Approval): Promise<unknown> {
  if (typeof answer === 'boolean' || answer.edited === undefined) return undefined
  const edited = await readInput(tool, answer.edited)
  return edited.ok ? undefined : `edited arguments: ${listOf(edited.problems)}`
}

function rejection({ reason }: Approval): string {
  return reason === undefined || reason === ''
    ? 'A person rejected this call.'
    : `A person rejected this call: ${reason}`
}

function refused(
  { toolName, toolCallId }: Pick<ToolCall, 'toolName' | 'toolCallId'>,
  problems: readonly Problem[],
): HexagonError {
  return new HexagonError(
    'E2134',
    `Tool "${toolName}" does not take the arguments of call "${toolCallId}": ${listOf(problems)}`,
    { details: { tool: toolName, callId: toolCallId, problems } },
  )
}

function listOf(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
}
