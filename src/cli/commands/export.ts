import { ThreadLockedError } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { openKeeper } from '../keeper.ts'
import { openProject } from '../project.ts'
import { threadDocument } from '../thread-document.ts'
import { needsThread, selectThread } from '../thread-selector.ts'

/** Writes a thread as one document. The original is closed, so that it can't go on in two places. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, terminal, settings, output, command } = invocation
  const [selector] = args
  if (selector === undefined) throw needsThread(command)
  const project = await openProject(invocation)
  const runner = openKeeper(project)
  const { view } = await selectThread(selector, runner)
  if (view.holder !== undefined) throw new ThreadLockedError(view.threadId, view.holder)
  const store = project.openStore()
  const stored = await store.load(view.threadId)
  const document = stored === undefined ? {} : threadDocument(stored)
  const isOver = view.status === 'completed' || view.status === 'cancelled'
  if (!options.flag('copy') && !isOver) {
    await runner.cancel(view.threadId, 'exported')
    if (!settings.quiet) terminal.stderr(`${view.threadId} goes on elsewhere; here it is closed.`)
  }
  if (output.format === 'human') terminal.stdout(`${JSON.stringify(document)}\n`)
  return { exitCode: exitCode.ok, document: { thread: document } }
}
