const SEND: unique symbol = Symbol.for('hexagon.send')
const COMMAND: unique symbol = Symbol.for('hexagon.command')

/** Where a graph begins. */
export const START = '__start__'
/** Where a graph ends. */
export const END = '__end__'

/** One task of a fan-out: runs `node` with its own input instead of the state. */
export class Send<Node extends string = string> {
  readonly node: Node
  readonly input: unknown
  /** Tells it apart from its siblings, in addresses and answers; its index otherwise. */
  readonly key: string | undefined
  readonly [SEND] = true

  constructor(node: Node, input: unknown, options: { readonly key?: string } = {}) {
    this.node = node
    this.input = input
    this.key = options.key
  }
}

/** What a command is made of. */
export interface CommandParts {
  /** State keys to fold in, as an update would. */
  readonly update?: Readonly<Record<string, unknown>>
  /** Where to go on, instead of along the edges. */
  readonly goto?: string | Send | readonly (string | Send)[]
}

/** Returned by a node to update the state and choose where to go on in one act. */
export class Command {
  readonly update: Readonly<Record<string, unknown>> | undefined
  readonly goto: readonly (string | Send)[] | undefined
  readonly [COMMAND] = true

  constructor({ update, goto }: CommandParts) {
    this.update = update
    this.goto = goto === undefined ? undefined : isList(goto) ? goto : [goto]
  }
}

export function isSend(value: unknown): value is Send {
  return typeof value === 'object' && value !== null && SEND in value
}

export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && COMMAND in value
}

function isList(
  goto: string | Send | readonly (string | Send)[],
): goto is readonly (string | Send)[] {
  return Array.isArray(goto)
}
