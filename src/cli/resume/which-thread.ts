import { HexagonError } from '../../core/errors.ts'
import type { PendingView } from '../../runner/thread-list.ts'
import type { ThreadReader } from '../../runner/thread-reader.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { Invocation } from '../invocation.ts'
import { allPending } from '../page-walk.ts'
import { questionOf } from '../render/pending.ts'
import type { Asked } from '../terminal/asked.ts'
import { oneLine } from '../terminal/safe.ts'

const LISTED = 8

/** A thread picked at the terminal, or how the person left instead. */
export type PickedThread =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'left'; readonly exitCode: ExitCode }

/** Lets the person pick what to answer; without a terminal nothing is guessed. @throws HexagonError E1004 */
export async function whichThread(
  { terminal, command }: Invocation,
  runner: ThreadReader,
): Promise<PickedThread> {
  const waiting = (await allPending(runner)).filter(({ interrupts }) => interrupts.length > 0)
  if (!terminal.interactive || waiting.length === 0) throw noThread(command, waiting)
  const asked = await terminal.prompter.search({
    message: 'Which thread?',
    options: waiting.toReversed().map((thread) => ({
      value: thread.threadId,
      name: `${thread.threadId}  ${oneLine(thread.flow)}  ${questionOf({ ...thread, id: thread.threadId })}`,
    })),
  })
  if (asked.kind === 'answer') return { kind: 'thread', threadId: asked.value }
  return { kind: 'left', exitCode: codeOf(asked) }
}

function codeOf(left: Exclude<Asked<string>, { kind: 'answer' }>): ExitCode {
  if (left.kind === 'interrupted') return exitCode.interrupted
  if (left.kind !== 'stopped') return exitCode.suspended
  return left.signal === 'SIGTERM' ? exitCode.terminated : exitCode.hangUp
}

function noThread(command: string, waiting: readonly PendingView[]): HexagonError {
  if (waiting.length === 0) {
    return new HexagonError('E1004', 'Which thread? Nothing is waiting', {
      hint: 'All threads: hexagon threads',
    })
  }
  const shown = waiting.slice(0, LISTED).map(({ threadId, flow }) => `${threadId} (${flow})`)
  const more = waiting.length > LISTED ? `, and ${waiting.length - LISTED} more` : ''
  const verb = waiting.length === 1 ? 'is' : 'are'
  return new HexagonError('E1004', `Which thread? ${waiting.length} ${verb} waiting`, {
    hint: `${shown.join(', ')}${more}\nhexagon ${command} ${waiting[0]?.threadId ?? '<thread>'}`,
    details: { threads: waiting.map(({ threadId }) => threadId) },
  })
}
