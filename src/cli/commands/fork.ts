import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import { openKeeper } from '../keeper.ts'
import { openProject } from '../project.ts'
import { continueCommand } from '../render/command-line.ts'
import { assertThreadName } from '../thread-name.ts'
import { needsThread, selectThread } from '../thread-selector.ts'

/** Copies a thread, as it was at a checkpoint, into a new one, and prints the id of that. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, terminal, settings, output, command } = invocation
  const [selector] = args
  if (selector === undefined) throw needsThread(command)
  const threadId = options.text('thread')
  if (threadId !== undefined) assertThreadName(threadId)
  const project = await openProject(invocation)
  const runner = openKeeper(project)
  const { view } = await selectThread(selector, runner)
  const at = options.number('at') ?? view.version
  const forked = await runner.fork(view.threadId, { at, threadId })
  if (!settings.quiet) {
    const { err, symbols } = terminal
    terminal.stderr(
      `${err.paint.green(symbols.ok)} Forked ${view.threadId} at version ${at} as ${forked.threadId}`,
    )
    if (!settings.inAutomation) terminal.stderr(`  Continue:  ${continueCommand(forked.threadId)}`)
  }
  if (output.format === 'human') terminal.stdout(`${forked.threadId}\n`)
  return {
    exitCode: exitCode.ok,
    document: {
      thread: headJson(forked),
      parent: { threadId: view.threadId, version: at },
      interrupts: project.redaction.withInterrupts(forked).interrupts.map(interruptJson),
    },
  }
}
