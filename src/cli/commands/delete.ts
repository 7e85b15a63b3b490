import { DamagedError } from '../../core/errors.ts'
import type { ThreadReader } from '../../runner/thread-reader.ts'
import { isAgreed, selectThreads, type Doomed } from '../confirm.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { openKeeper } from '../keeper.ts'
import { openProject } from '../project.ts'
import { needsThread } from '../thread-selector.ts'

/** Deletes threads and all they hold; a thread that can't be read too, when its full id is given. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, terminal, settings, command } = invocation
  const runner = openKeeper(await openProject(invocation))
  if (args.length === 0) throw needsThread(command)
  const doomed: Doomed[] = []
  for (const selector of args) doomed.push(await doomedThread(selector, invocation, runner))
  const deed = { verb: 'Delete', keep: 'Keep' }
  if (!(await isAgreed(deed, doomed, invocation))) return { exitCode: exitCode.suspended }
  for (const { threadId } of doomed) {
    await runner.delete(threadId)
    if (!settings.quiet) terminal.stderr(`${terminal.symbols.ok} Deleted ${threadId}`)
  }
  return {
    exitCode: exitCode.ok,
    document: { deleted: doomed.map(({ threadId }) => threadId) },
  }
}

async function doomedThread(
  selector: string,
  invocation: Invocation,
  runner: ThreadReader,
): Promise<Doomed> {
  try {
    const [thread] = await selectThreads({ ...invocation, args: [selector] }, runner)
    if (thread === undefined) throw needsThread(invocation.command)
    return thread.view
  } catch (error) {
    if (!(error instanceof DamagedError) || !(await isDamaged(selector, runner))) throw error
    return { threadId: selector, status: 'damaged' }
  }
}

/** True for the full id of a thread that the store names as damaged: damage elsewhere says nothing about it. */
async function isDamaged(threadId: string, runner: ThreadReader): Promise<boolean> {
  try {
    await runner.get(threadId)
    return false
  } catch (error) {
    return error instanceof DamagedError
  }
}
