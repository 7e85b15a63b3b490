import { isHexagonError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ThreadRunner } from '../../runner/runner.ts'
import type { ThreadSummary } from '../../runner/thread-list.ts'
import { exitCode, exitCodeOf, type ExitCode } from '../exit-code.ts'
import { openFlowRunner } from '../flow-runner.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { errorJson } from '../json/error-json.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { OptionValues } from '../option-values.ts'
import { openProjectWithCode, type Project } from '../project.ts'
import { continueThread } from '../resume/continue-thread.ts'
import type { Report } from '../session/report.ts'
import { showError } from '../show-error.ts'

/** Settles every deadline that has passed, and continues each thread that can go on. Nobody is asked. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { terminal, settings, output } = invocation
  const project = await openProjectWithCode(invocation)
  const ticked: Ticked[] = []
  if (project.hasStore) {
    const runner = openFlowRunner(project.openStore(), settings)
    for (const thread of await runner.settle()) {
      const one = await continueOne(thread, { invocation, project, runner })
      if (one !== undefined) ticked.push(one)
      // Who stops one thread stops them all; what is left is there at the next tick.
      if (one?.kind === 'ran' && one.report.status === 'interrupted') break
    }
  }
  if (ticked.length === 0 && output.format === 'human' && !settings.quiet)
    terminal.stderr('Nothing is due.')
  return { exitCode: codeOf(ticked), document: { threads: ticked.map(tickedJson) } }
}

/** A thread that was due: how its run came out, or why it did not run. */
type Ticked = { readonly thread: ThreadSummary } & (
  | { readonly kind: 'ran'; readonly report: Report }
  | { readonly kind: 'refused'; readonly error: unknown }
)

interface Place {
  readonly invocation: Invocation
  readonly project: Project
  readonly runner: ThreadRunner
}

/** Undefined when somebody else was faster. */
async function continueOne(
  thread: ThreadSummary,
  { invocation, project, runner }: Place,
): Promise<Ticked | undefined> {
  const { settings, terminal, output } = invocation
  const cwd = process.cwd()
  try {
    const view = await runner.get(thread.threadId)
    const request = { invocation: unattended(invocation), project, runner, view }
    const report = await continueThread({
      ...request,
      plan: undefined,
      digests: {},
      unattended: true,
    })
    if (report.error !== undefined && !(output.format !== 'human' && settings.quiet))
      showError(report.error, settings, terminal)
    return { kind: 'ran', thread, report }
  } catch (error) {
    if (isTakenCareOf(error)) return undefined
    if (!isHexagonError(error)) throw error
    showError(error, settings, terminal)
    return { kind: 'refused', thread, error }
  } finally {
    process.chdir(cwd)
  }
}

/** Another process runs it, or has ended it. */
function isTakenCareOf(error: unknown): boolean {
  return isHexagonError(error) && ['E1306', 'E1303', 'E1301'].includes(error.code)
}

/** The same call with nobody to ask. */
function unattended(invocation: Invocation): Invocation {
  const { options } = invocation
  return {
    ...invocation,
    options: new OptionValues({
      onInterrupt: 'suspend',
      allowChanged: options.flag('allowChanged'),
      maxSteps: options.number('maxSteps'),
      timeout: options.number('timeout'),
    }),
  }
}

function codeOf(ticked: readonly Ticked[]): ExitCode {
  const codes = ticked.map((one): ExitCode => {
    if (one.kind === 'refused') return exitCodeOf(one.error)
    return one.report.exitCode === exitCode.suspended ? exitCode.ok : one.report.exitCode
  })
  return codes.find((code) => code !== exitCode.ok) ?? exitCode.ok
}

function tickedJson(one: Ticked): JsonObject {
  const { threadId, flow } = one.thread
  const named = { id: threadId, name: flow }
  if (one.kind === 'refused') return { ...named, status: null, error: errorJson(one.error) }
  const { report } = one
  return {
    ...named,
    status: report.status,
    version: report.result.version,
    interrupts: report.result.interrupts.map(interruptJson),
    error: report.error === undefined ? null : errorJson(report.error),
  }
}
