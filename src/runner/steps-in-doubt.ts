import type { StepInDoubt, ThreadView } from '../core/command.ts'
import type { StoredThread } from '../core/store.ts'
import type { IntentMemo, Memo } from '../runtime/memo.ts'
import { parse, questionOf } from './thread-record.ts'

/** An intent in the store, with where it is. */
interface StoredIntent {
  readonly intent: IntentMemo
  readonly task: string
  readonly path: string
}

/**
 * Steps of a thread of which nobody knows whether they happened. While a process runs it, a step that was
 * begun goes on: it counts only when a person is asked about it.
 */
export function stepsInDoubt(
  thread: StoredThread,
  status: ThreadView['status'],
): readonly StepInDoubt[] {
  const asked = askedIn(thread)
  return intentsIn(thread).flatMap(({ intent, task, path }) => {
    const { name, address, at, why, idempotencyKey } = intent
    const question = asked.find(
      (one) => one.task === task && one.path.startsWith(`${path}["doubt"`),
    )
    if (question === undefined && status === 'running') return []
    return {
      step: name,
      address,
      at,
      why,
      idempotencyKey,
      ...(question === undefined ? {} : { interrupt: question.id }),
    }
  })
}

function askedIn({ interrupts }: StoredThread): { id: string; task: string; path: string }[] {
  return interrupts
    .filter(({ status, kind }) => status === 'open' && kind === 'doubt')
    .map(questionOf)
}

function intentsIn({ records }: StoredThread): StoredIntent[] {
  const found: StoredIntent[] = []
  for (const [key, text] of records) {
    // Looked at before it is parsed: a thread may have many memos, and few of them are intents.
    if (!key.startsWith('m ') || !text.includes('"intent"')) continue
    const intent = parse<Memo>(text, key)
    if (intent.kind !== 'intent' || intent.failed !== undefined) continue
    const [, task = ''] = key.split(' ', 2)
    found.push({ intent, task, path: key.slice(task.length + 3) })
  }
  return found
}
