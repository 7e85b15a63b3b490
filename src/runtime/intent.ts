// Intents as they are stored; see once.ts.

import { encode } from '../core/codec.ts'
import type { TaskFrame } from './engine.ts'
import type { IntentMemo } from './memo.ts'

/** Keeps an intent at its place, and puts it into the next commit. */
export function keepIntent(frame: TaskFrame, path: string, intent: IntentMemo): void {
  frame.memo.set(path, intent)
  if (frame.run.journal.durable)
    frame.run.journal.put(`m ${frame.id} ${path}`, JSON.stringify(encode(intent)))
}

/**
 * Steps that failed are in doubt once more: who tries again wants to know whether they happened. Only
 * those below `path`, if given.
 */
export function doubtAgain(frame: TaskFrame, path = ''): void {
  for (const [at, memo] of frame.memo) {
    if (memo.kind !== 'intent' || memo.failed === undefined || !at.startsWith(path)) continue
    const { failed: _failed, ...rest } = memo
    keepIntent(frame, at, { ...rest, round: memo.round + 1 })
  }
}
