import { encode } from '../../core/codec.ts'
import type { Choice, Interrupt } from '../../core/interrupt.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'

const HIDDEN = '••••'

/**
 * An open question for programs. The names are a contract: fields are added, never renamed. Values that
 * JSON can't say are written as the store writes them.
 */
export function interruptJson(interrupt: Interrupt): JsonObject {
  const { choices, changedFrom } = interrupt
  return {
    id: interrupt.id,
    key: interrupt.key,
    address: encode(interrupt.address),
    kind: interrupt.kind,
    message: interrupt.message,
    payload: encode(interrupt.payload ?? null),
    options: choices === undefined ? null : choices.map(optionJson),
    choices: choices === undefined ? null : encode(choices),
    default: defaultJson(interrupt),
    schema: encode(interrupt.schema ?? null),
    secret: interrupt.secret === true,
    answered: false,
    createdAt: interrupt.openedAt,
    openedAt: interrupt.openedAt,
    expiresAt: interrupt.expiresAt ?? null,
    digest: interrupt.digest,
    changedFrom:
      changedFrom === undefined
        ? null
        : encode({ ...changedFrom, payload: changedFrom.payload ?? null }),
    threadId: interrupt.threadId,
    ordinal: interrupt.ordinal,
    danger: interrupt.danger === true,
    multiline: interrupt.multiline === true,
    metadata: encode(interrupt.metadata ?? null),
  }
}

/** An option as the flow gave it: a bare value where it had no name and no description of its own. */
function optionJson(choice: Choice): JsonValue {
  return choice.name === String(choice.value) && choice.description === undefined
    ? encode(choice.value)
    : encode(choice)
}

function defaultJson({ default: value, secret }: Interrupt): JsonValue {
  if (value === undefined) return null
  return secret === true ? HIDDEN : encode(value)
}
