import type { Interrupt } from '../../src/core/interrupt.ts'

/** An open question of node `ask` with everything a test does not care about filled in. */
export function question(fields: Partial<Interrupt> = {}): Interrupt {
  const address = fields.address ?? [{ type: 'node', id: 'ask' }]
  return {
    id: 'i_0000000001',
    threadId: '7f3k9q2m4d',
    address,
    key: 'node:ask',
    ordinal: 1,
    kind: 'approval',
    message: 'Go on?',
    payload: 'Go on?',
    digest: 'd0d0d0d0d0d0d0d0',
    openedAt: '2026-11-30T09:00:00.000Z',
    ...fields,
  }
}

/** Choices as the core keeps them, from plain values. */
export function choices(...values: unknown[]): NonNullable<Interrupt['choices']> {
  return values.map((value) => ({ value, name: String(value) }))
}
