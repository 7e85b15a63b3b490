import type { JsonObject } from '../../core/json.ts'
import { asRunnable } from '../../graph/flow.ts'
import { ThreadRunner } from '../../runner/runner.ts'
import type { Survival } from '../../runner/survival.ts'
import type { Runnable } from '../../runtime/runnable.ts'
import { exitCode, exitCodeOf, type ExitCode } from '../exit-code.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { openFlow } from '../flow/open-flow.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { errorJson } from '../json/error-json.ts'
import { openProjectWithCode, type Project } from '../project.ts'
import { showError } from '../show-error.ts'
import { oneLine } from '../terminal/safe.ts'
import { whichFlow } from '../which-flow.ts'

/** Loads flows, checks their graphs, and tells which waiting threads go on with them. Nothing of them runs. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, terminal, settings, output } = invocation
  if (args.length === 0) throw whichFlow(invocation)
  const project = await openProjectWithCode(invocation)
  const checked: CheckedFlow[] = []
  for (const argument of args) checked.push(await withThreads(argument, project, invocation))
  for (const flow of checked) {
    if (flow.error !== undefined) showError(flow.error, settings, terminal)
    else if (output.format === 'human' && !settings.quiet) tell(flow, invocation)
  }
  return { exitCode: codeOf(checked), document: { flows: checked.map(checkedJson) } }
}

/** A flow that loaded, or why it did not. */
export interface CheckedFlow {
  readonly name: string
  readonly file: string | null
  readonly nodes: readonly string[]
  /** What becomes of its waiting threads; left out where only the flow was asked for. */
  readonly threads?: readonly Survival[]
  readonly error?: unknown
}

function tell({ name, file, threads = [] }: CheckedFlow, { terminal }: Invocation): void {
  const { err, symbols } = terminal
  const { paint } = err
  terminal.stderr(`${paint.green(symbols.ok)} ${name}  ${file}`)
  for (const thread of threads) {
    if (thread.verdict === 'resumes') {
      terminal.stderr(`  ${paint.green(symbols.ok)} ${thread.threadId}  resumes`)
      continue
    }
    terminal.stderr(`  ${paint.red(symbols.fail)} ${thread.threadId}  ${thread.verdict}`)
    terminal.stderr(`    ${oneLine(thread.why)}`)
    if (thread.fix !== '') terminal.stderr(`    ${oneLine(thread.fix)}`)
  }
}

/** Loads one flow. Only faults of ours are thrown. */
export async function checkFlow(
  argument: string,
  project: Project,
  invocation: Invocation,
): Promise<CheckedFlow> {
  const { runnable: _runnable, ...checked } = await load(argument, project, invocation)
  return checked
}

/** A flow, and what becomes of its waiting threads. */
async function withThreads(
  argument: string,
  project: Project,
  invocation: Invocation,
): Promise<CheckedFlow> {
  const { runnable, ...checked } = await load(argument, project, invocation)
  if (runnable === undefined || !project.hasStore) return checked
  const runner = new ThreadRunner({ store: project.openStore() }, asRunnable)
  return { ...checked, threads: await runner.check(runnable) }
}

async function load(
  argument: string,
  project: Project,
  invocation: Invocation,
): Promise<CheckedFlow & { readonly runnable?: Runnable }> {
  const host = new FlowHost(invocation)
  try {
    const loading = openFlow(argument, { project })
    const { name, path, runnable } = await host.guard(loading, () => `${argument} is loading`)
    const nodes = runnable.describe().nodes.map((node) => node.name)
    return { name, file: path, nodes, runnable }
  } catch (error) {
    return { name: argument, file: null, nodes: [], error }
  } finally {
    host.close()
  }
}

/** A checked flow for programs. */
export function checkedJson({ name, file, nodes, threads, error }: CheckedFlow): JsonObject {
  return {
    name,
    file,
    ok: error === undefined,
    nodes: [...nodes],
    ...(threads === undefined ? {} : { threads: threads.map((thread) => ({ ...thread })) }),
    error: error === undefined ? null : errorJson(error),
  }
}

function codeOf(checked: readonly CheckedFlow[]): ExitCode {
  const failed = checked.find(({ error }) => error !== undefined)
  if (failed !== undefined) return exitCodeOf(failed.error)
  const survives = checked.every(({ threads = [] }) =>
    threads.every(({ verdict }) => verdict === 'resumes'),
  )
  return survives ? exitCode.ok : exitCode.config
}
