import type { Interrupt } from '../../core/interrupt.ts'
import { textOf } from './json.ts'
import { formatRelative } from './time.ts'

const LABEL_WIDTH = 8

/** What comes below a question's message; `now` adds how long ago something was. */
export function payloadText(
  { kind, payload }: Pick<Interrupt, 'kind' | 'payload'>,
  now?: number,
): string {
  const isDoubt = kind === 'doubt' && typeof payload === 'object' && payload !== null
  return isDoubt ? doubtText(payload, now) : textOf(payload)
}

/** A step in doubt as facts, a line each; its name is in the message. */
function doubtText(payload: object, now: number | undefined): string {
  const facts = Object.entries(payload).filter(([name]) => name !== 'step')
  return facts.map(([name, value]) => factText(name, value, now)).join('\n')
}

function factText(name: string, value: unknown, now: number | undefined): string {
  const label = name === 'idempotencyKey' ? 'key' : name
  const isTime = name === 'began' && typeof value === 'string' && now !== undefined
  const text = isTime ? `${value} (${formatRelative(value, now)})` : textOf(value)
  const [first = '', ...more] = text.split('\n')
  const rest = more.map((line) => ' '.repeat(LABEL_WIDTH) + line)
  return [label.padEnd(LABEL_WIDTH) + first, ...rest].join('\n')
}
