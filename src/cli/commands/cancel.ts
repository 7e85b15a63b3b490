import { isAgreed, selectThreads } from '../confirm.ts'
import { exitCode } from '../exit-code.ts'
import { starterOf } from '../identity.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { headJson } from '../json/thread-json.ts'
import { openKeeper } from '../keeper.ts'
import { openProject } from '../project.ts'
import { assertOpen } from '../resume/readiness.ts'

/** Closes threads for good. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { options, terminal, settings, env } = invocation
  const runner = openKeeper(await openProject(invocation))
  const selected = await selectThreads(invocation, runner)
  for (const { view } of selected) assertOpen(view, undefined)
  const deed = { verb: 'Cancel', keep: 'Keep' }
  const views = selected.map(({ view }) => view)
  if (!(await isAgreed(deed, views, invocation))) return { exitCode: exitCode.suspended }
  const by = starterOf(options.text('as'), env) ?? 'unknown'
  const reason = options.text('reason') ?? `cancelled by ${by}`
  const threads = []
  for (const { view } of selected) {
    threads.push(headJson(await runner.cancel(view.threadId, reason)))
    if (!settings.quiet) terminal.stderr(`${terminal.symbols.ok} Cancelled ${view.threadId}`)
  }
  return { exitCode: exitCode.ok, document: { threads } }
}
