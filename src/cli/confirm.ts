import { HexagonError } from '../core/errors.ts'
import type { ThreadReader } from '../runner/thread-reader.ts'
import type { Invocation } from './invocation.ts'
import { needsThread, selectThread, type SelectedThread } from './thread-selector.ts'

/** What is about to be done to threads that can't be undone. */
export interface Deed {
  /** `Cancel`, `Delete`. */
  readonly verb: string
  readonly keep: string
}

/** A thread as the person sees it before it is gone. */
export interface Doomed {
  readonly threadId: string
  /** Undefined where it can't be read. */
  readonly flow?: string
  readonly status: string
}

/** Every thread that was named. Without a terminal only full ids count. @throws HexagonError E1004, E1220, E1301 */
export async function selectThreads(
  { args, terminal, command }: Invocation,
  runner: ThreadReader,
): Promise<SelectedThread[]> {
  if (args.length === 0) throw needsThread(command)
  const selected: SelectedThread[] = []
  for (const selector of args) {
    const thread = await selectThread(selector, runner)
    if (!thread.exact && !terminal.interactive) throw notExact(selector, command, thread)
    selected.push(thread)
  }
  return selected
}

function notExact(selector: string, command: string, { view }: SelectedThread): HexagonError {
  return new HexagonError(
    'E1220',
    `"${selector}" may mean another thread tomorrow: without a terminal ${command} takes full ids`,
    { hint: `hexagon ${command} ${view.threadId}`, details: { threadId: view.threadId } },
  )
}

/** True when `--yes` is given or the person agrees. @throws HexagonError E1405 without a terminal */
export async function isAgreed(
  { verb, keep }: Deed,
  threads: readonly Doomed[],
  { options, terminal, command }: Invocation,
): Promise<boolean> {
  if (options.flag('yes')) return true
  if (!terminal.interactive) {
    throw new HexagonError('E1405', '--yes must be given when not at a terminal', {
      hint: `hexagon ${command} ${threads.map(({ threadId }) => threadId).join(' ')} --yes`,
    })
  }
  const what = threads.length === 1 ? 'this thread' : `these ${threads.length} threads`
  const asked = await terminal.prompter.select({
    message: `${verb} ${what}?`,
    above: threads.map(({ threadId, flow, status }) =>
      ['', threadId, ...(flow === undefined ? [] : [flow]), status].join('  '),
    ),
    options: [
      { value: false, name: keep, word: 'keep' },
      { value: true, name: verb, word: verb.toLowerCase() },
    ],
  })
  return asked.kind === 'answer' && asked.value
}
