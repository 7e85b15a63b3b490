import { HexagonError } from '../core/errors.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** Refuses an id that cannot name a thread's file everywhere. @throws HexagonError E1012 */
export function assertThreadName(id: string): void {
  const problem = problemWith(id)
  if (problem === undefined) return
  throw new HexagonError('E1012', `${JSON.stringify(id)} cannot name a thread: ${problem}`, {
    hint: 'Thread ids may use letters, digits, . _ - and at most 64 characters.',
    details: { threadId: id },
  })
}

function problemWith(id: string): string | undefined {
  if (!NAME.test(id)) return 'it has other characters, or too many'
  if (DEVICE.test(id)) return 'Windows keeps that name for a device'
  if (RESERVED.has(id)) return 'the name is reserved'
  return id.startsWith('i_') ? 'i_ in front is kept for questions' : undefined
}
