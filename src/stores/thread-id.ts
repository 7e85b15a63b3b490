import { HexagonError } from '../core/errors.ts'

const MAX_LENGTH = 200
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Refuses what can't name a thread: nothing, more than 200 characters, `__proto__`, `constructor`,
 * `prototype`, and an `i_` in front, which marks questions.
 * @throws HexagonError E1012
 */
export function assertThreadId(id: string): void {
  const problem = problemWith(id)
  if (problem === undefined) return
  throw new HexagonError('E1012', `${shown(id)} can't name a thread: ${problem}`, {
    hint: 'Thread ids have 1 to 200 characters; best letters, digits, . _ and - only.',
    details: { threadId: id },
  })
}

function problemWith(id: unknown): string | undefined {
  if (typeof id !== 'string') return `it is a ${typeof id}, not a text`
  if (id === '') return 'it is empty'
  if (id.length > MAX_LENGTH) return `it has ${id.length} characters, ${MAX_LENGTH} are allowed`
  if (RESERVED.has(id)) return 'the name is reserved'
  if (id.startsWith('i_')) return 'i_ in front is kept for questions'
  return undefined
}

function shown(id: unknown): string {
  const text = JSON.stringify(String(id))
  return text.length > 60 ? `${text.slice(0, 56)}…"` : text
}
