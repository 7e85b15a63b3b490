import { encode } from '../../core/codec.ts'
import type { RunEvent } from '../../core/event.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { interruptJson } from './interrupt-json.ts'

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

/** How one kind of event is written: its name in the stream, and its own fields. */
interface Mapping<Event extends RunEvent> {
  name(event: Event): string
  fields(event: Event): Readonly<Record<string, unknown>>
}

/** The one table from the runtime's events to the lines of `-o jsonl`. */
const MAPPINGS: { readonly [Type in RunEvent['type']]: Mapping<Of<Type>> } = {
  'run:start': {
    name: ({ resumed }) => (resumed ? 'run.resumed' : 'run.started'),
    fields: ({ flow }) => ({ flow }),
  },
  'node:start': {
    name: () => 'node.started',
    fields: ({ node, step, attempt }) => ({ node, step, attempt }),
  },
  'node:end': {
    name: ({ outcome }) => NODE_ENDS[outcome],
    fields: ({ node, step, ms, error }) => ({ node, step, ms, error }),
  },
  'node:retry': {
    name: () => 'node.retry',
    fields: ({ node, attempt, delayMs, error }) => ({ node, attempt, delayMs, error }),
  },
  'step:end': {
    name: () => 'step.completed',
    fields: ({ name, replayed, ms }) => ({ name, replayed, ms }),
  },
  message: {
    name: () => 'message',
    fields: ({ delta, messageId }) => ({ delta, messageId }),
  },
  'tool:start': {
    name: () => 'tool.started',
    fields: ({ tool, callId, args }) => ({ tool, callId, args }),
  },
  'tool:end': {
    name: ({ error }) => (error === undefined ? 'tool.completed' : 'tool.failed'),
    fields: ({ tool, callId, result, error }) => ({ tool, callId, result, error }),
  },
  custom: { name: () => 'custom', fields: ({ value }) => ({ value }) },
  warning: { name: () => 'warning', fields: ({ code, message }) => ({ code, message }) },
  'interrupt:open': {
    name: () => 'interrupt',
    fields: ({ interrupt }) => ({ interrupt: interruptJson(interrupt) }),
  },
  'interrupt:answered': {
    name: () => 'answer',
    fields: ({ id, by, via, unseen, value }) => ({ id, by, via, unseen, value }),
  },
  'interrupt:closed': {
    name: () => 'interrupt.closed',
    fields: ({ id, reason }) => ({ id, reason }),
  },
  checkpoint: { name: () => 'checkpoint', fields: ({ version, label }) => ({ version, label }) },
  'run:end': { name: () => 'run.ended', fields: ({ status, error }) => ({ status, error }) },
}

const NODE_ENDS: Readonly<Record<Of<'node:end'>['outcome'], string>> = {
  finished: 'node.completed',
  parked: 'node.waiting',
  failed: 'node.failed',
  abandoned: 'node.abandoned',
}

/** One event as a line of the stream, without its number. */
export function eventJson(event: RunEvent): JsonObject {
  const mapping = mappingOf(event.type)
  return {
    v: 1,
    type: mapping.name(event),
    ts: event.time,
    thread: event.threadId,
    ...addressOf(event),
    ...encodeFields(mapping.fields(event)),
  }
}

function mappingOf(type: RunEvent['type']): Mapping<RunEvent> {
  const mapping: Mapping<never> = MAPPINGS[type]
  return mapping
}

function addressOf({ address }: RunEvent): JsonObject {
  return address.length === 0 ? {} : { address: encode(address) }
}

function encodeFields(fields: Readonly<Record<string, unknown>>): Record<string, JsonValue> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, encode(value)]))
}
