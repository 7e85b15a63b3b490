import { exitCode, exitCodeOf, type ExitCode } from '../exit-code.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { openFlow } from '../flow/open-flow.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { errorJson } from '../json/error-json.ts'
import { openProjectWithCode, type Project } from '../project.ts'
import { showError } from '../show-error.ts'
import { whichFlow } from '../which-flow.ts'

/** Loads flows and checks their graphs, without running them. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, terminal, settings, output } = invocation
  if (args.length === 0) throw whichFlow(invocation)
  const project = await openProjectWithCode(invocation)
  const checked: CheckedFlow[] = []
  for (const argument of args) checked.push(await checkFlow(argument, project, invocation))
  for (const flow of checked) {
    if (flow.error !== undefined) showError(flow.error, settings, terminal)
    else if (output.format === 'human' && !settings.quiet) {
      terminal.stderr(`${terminal.err.paint.green(terminal.symbols.ok)} ${flow.name}  ${flow.file}`)
    }
  }
  return { exitCode: codeOf(checked), document: { flows: checked.map(checkedJson) } }
}

/** A flow that loaded, or why it did not. */
export interface CheckedFlow {
  readonly name: string
  readonly file: string | null
  readonly nodes: readonly string[]
  readonly error?: unknown
}

/** Loads one flow. Only faults of ours are thrown. */
export async function checkFlow(
  argument: string,
  project: Project,
  invocation: Invocation,
): Promise<CheckedFlow> {
  const host = new FlowHost(invocation)
  try {
    const loading = openFlow(argument, { project })
    const { name, path, runnable } = await host.guard(loading, () => `${argument} is loading`)
    return { name, file: path, nodes: runnable.describe().nodes.map((node) => node.name) }
  } catch (error) {
    return { name: argument, file: null, nodes: [], error }
  } finally {
    host.close()
  }
}

/** A checked flow for programs. */
export function checkedJson({
  name,
  file,
  nodes,
  error,
}: CheckedFlow): NonNullable<CommandResult['document']> {
  return {
    name,
    file,
    ok: error === undefined,
    nodes: [...nodes],
    error: error === undefined ? null : errorJson(error),
  }
}

function codeOf(checked: readonly CheckedFlow[]): ExitCode {
  const failed = checked.find(({ error }) => error !== undefined)
  return failed === undefined ? exitCode.ok : exitCodeOf(failed.error)
}
