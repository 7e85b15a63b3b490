import { isAgreed, selectThreads } from '../confirm.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { openKeeper } from '../keeper.ts'
import { openProject } from '../project.ts'

/** Deletes threads and all they hold. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { terminal, settings } = invocation
  const runner = openKeeper(await openProject(invocation))
  const selected = await selectThreads(invocation, runner)
  const deed = { verb: 'Delete', keep: 'Keep' }
  if (!(await isAgreed(deed, selected, invocation))) return { exitCode: exitCode.suspended }
  for (const { view } of selected) {
    await runner.delete(view.threadId)
    if (!settings.quiet) terminal.stderr(`${terminal.symbols.ok} Deleted ${view.threadId}`)
  }
  return {
    exitCode: exitCode.ok,
    document: { deleted: selected.map(({ view }) => view.threadId) },
  }
}
