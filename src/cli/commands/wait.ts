import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import { openProject } from '../project.ts'
import { openExisting } from '../reader.ts'
import { formatDuration } from '../render/time.ts'
import { needsThread, selectThread } from '../thread-selector.ts'

const POLL_MS = 1000

/** Waits until a thread has completed, failed, or (with `--for answered`) has no open question. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, command } = invocation
  const [selector] = args
  if (selector === undefined) throw needsThread(command)
  const project = await openProject(invocation)
  const runner = openExisting(project)
  const store = project.openStore()
  const timeoutMs = options.number('timeout')
  const limit = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs
  let { view } = await selectThread(selector, runner)
  for (;;) {
    const code = codeOf(view, options.text('for') === 'answered')
    if (code !== undefined)
      return { exitCode: code, document: documentOf(project.redaction.view(view)) }
    const left = limit - Date.now()
    if (left <= 0) throw timedOut(view, timeoutMs ?? 0)
    await store.wait(Math.min(POLL_MS, left))
    // Nobody else may be there to record that a question's time is up.
    await runner.pending({ threadId: view.threadId })
    view = await runner.get(view.threadId)
  }
}

/** The exit code once what is waited for has happened, or can't happen any more. */
function codeOf({ status, interrupts }: ThreadView, answered: boolean): ExitCode | undefined {
  if (status === 'completed') return exitCode.ok
  if (status === 'failed' || status === 'cancelled' || status === 'crashed') return exitCode.failed
  return answered && interrupts.length === 0 ? exitCode.ok : undefined
}

function documentOf(view: ThreadView): NonNullable<CommandResult['document']> {
  return {
    status: view.status,
    thread: headJson(view),
    interrupts: view.interrupts.map(interruptJson),
  }
}

function timedOut({ threadId, status }: ThreadView, ms: number): HexagonError {
  return new HexagonError('E1407', `${threadId} is still ${status} after ${formatDuration(ms)}`, {
    hint: `hexagon show ${threadId}`,
    details: { threadId, status },
  })
}
