import { HexagonError, UnknownNameError } from '../core/errors.ts'
import { seal } from '../core/seal.ts'
import type { Channels } from './channel.ts'
import { END, isCommand, isSend, type Command, type Send } from './command.ts'
import type { GraphDefinition } from './definition.ts'
import type { Target } from './task.ts'

/** What a node gave back, checked: what to fold in, and where its commands jump. */
export interface NodeOutput {
  readonly updates: readonly Readonly<Record<string, unknown>>[]
  /** Undefined: along the edges. */
  readonly jumps: readonly Target[] | undefined
}

const NOTHING: NodeOutput = { updates: [], jumps: undefined }

/** Names a place for an error; written only when there is one. */
export type Where = () => string

/**
 * Checks what a node returned.
 * @throws UnknownNameError for undeclared keys and nodes, SerializationError for values that can't be kept
 */
export function readResult(result: unknown, definition: GraphDefinition, where: Where): NodeOutput {
  if (result === undefined || result === null) return NOTHING
  if (isCommand(result)) return readCommands([result], definition, where)
  if (Array.isArray(result) && result.length > 0 && result.every(isCommand))
    return readCommands(result, definition, where)
  if (typeof result !== 'object' || Array.isArray(result) || isSend(result)) {
    throw new HexagonError('E2114', `${where()} returned ${describe(result)}`, {
      hint: 'A node returns an object with the state keys it changes, a Command, or nothing.',
    })
  }
  return {
    updates: [checkUpdate(result as Readonly<Record<string, unknown>>, definition.channels, where)],
    jumps: undefined,
  }
}

function readCommands(
  commands: readonly Command[],
  definition: GraphDefinition,
  where: Where,
): NodeOutput {
  const updates = commands.flatMap(({ update }) =>
    update === undefined ? [] : [checkUpdate(update, definition.channels, where)],
  )
  const gotos = commands.filter(({ goto }) => goto !== undefined)
  if (gotos.length === 0) return { updates, jumps: undefined }
  return {
    updates,
    jumps: gotos.flatMap(({ goto }) => readTargets(goto ?? [], { definition, where: where() })),
  }
}

/** Update with declared keys only, sealed. */
export function checkUpdate(
  update: Readonly<Record<string, unknown>>,
  channels: Channels,
  where: Where,
): Readonly<Record<string, unknown>> {
  for (const key of Object.keys(update)) if (!channels.has(key)) channels.refuse(key, where())
  return seal(update, 'state')
}

/** Where names are looked up, and how an error names the place. */
export interface Naming {
  readonly definition: GraphDefinition
  readonly where: string
  /** The only names allowed here; every node otherwise. */
  readonly declared?: readonly string[]
}

/** Names and fan-out tasks as targets; END leads nowhere. @throws UnknownNameError */
export function readTargets(routed: readonly (string | Send)[], naming: Naming): Target[] {
  const { definition, where, declared } = naming
  const known = declared ?? [...definition.nodes.keys(), END]
  const kind = declared === undefined ? 'node' : 'target'
  return routed.flatMap((target): Target[] => {
    const name = isSend(target) ? target.node : target
    if (!known.includes(name)) throw new UnknownNameError({ kind, name, where, known })
    if (!isSend(target)) return name === END ? [] : [{ node: name }]
    return [
      { node: name, send: { input: seal(target.input, `input of ${name}`), key: target.key } },
    ]
  })
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (isSend(value)) return 'a Send (only a branch or goto takes one)'
  return typeof value === 'string' ? `the text ${JSON.stringify(value)}` : `a ${typeof value}`
}
