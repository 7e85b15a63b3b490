import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { viewJson } from '../json/thread-json.ts'
import { printList } from '../list.ts'
import { openProject } from '../project.ts'
import { openExisting } from '../reader.ts'
import { renderThread } from '../render/thread.ts'
import { outViewOf } from '../render/view.ts'
import { redactionOf } from '../shown-secrets.ts'
import { placeIn } from '../subgraph-place.ts'
import { needsThread, selectThread } from '../thread-selector.ts'

/** Shows everything about a thread. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, settings, terminal, output } = invocation
  const [selector] = args
  if (selector === undefined) throw needsThread(invocation.command)
  const project = await openProject(invocation)
  const redaction = redactionOf(project, invocation)
  const reader = openExisting(project)
  const selected = await selectThread(selector, reader)
  const at = options.number('at')
  const { threadId } = selected.view
  // Whoever looks at a question whose time is up records that; nothing runs.
  if (at === undefined) await reader.pending({ threadId })
  const within = await placeIn(reader, threadId, options.text('in'))
  const look = {
    ...(at === undefined ? {} : { at }),
    ...(within === undefined ? {} : { within }),
  }
  const view = redaction.view(await reader.get(threadId, look))
  const state = options.flag('state')
  if (output.format === 'human') {
    const hints = !settings.inAutomation && !settings.quiet && at === undefined
    await printList(renderThread(view, { state, hints }, outViewOf(terminal)), invocation)
  }
  return { exitCode: exitCode.ok, document: { thread: viewJson(view, { state }) } }
}
