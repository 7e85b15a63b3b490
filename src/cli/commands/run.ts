import { encode } from '../../core/codec.ts'
import { exitCode } from '../exit-code.ts'
import { drawFlow } from '../flow/draw-flow.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { openFlow, type OpenFlow } from '../flow/open-flow.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { openProjectWithCode, type Project } from '../project.ts'
import { reportJson } from '../session/report.ts'
import { showReport } from '../session/show-report.ts'
import { startThread } from '../session/start-thread.ts'
import { readStartValue } from '../start-value.ts'
import { assertThreadName } from '../thread-name.ts'
import { readAnswers } from '../value/answers.ts'
import { whichFlow } from '../which-flow.ts'

/** Starts a flow and follows it until it completes or waits. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options, input } = invocation
  const [argument] = args
  if (argument === undefined) throw whichFlow(invocation)
  const threadId = options.text('thread')
  if (threadId !== undefined) assertThreadName(threadId)
  const start = await readStartValue(invocation)
  const answers = options.text('answers')
  const known = answers === undefined ? undefined : await readAnswers(answers, input)
  const host = new FlowHost(invocation)
  let outcome: Outcome
  try {
    const { project, flow } = await load(argument, invocation, host)
    outcome = options.flag('dryRun')
      ? { kind: 'drawn', flow }
      : {
          kind: 'ran',
          report: await startThread({
            invocation,
            project,
            flow,
            host,
            start,
            answers: known,
            threadId,
            argument,
          }),
        }
  } finally {
    host.close()
  }
  return show(outcome, invocation)
}

type Outcome =
  | { readonly kind: 'drawn'; readonly flow: OpenFlow }
  | { readonly kind: 'ran'; readonly report: Awaited<ReturnType<typeof startThread>> }

async function load(
  argument: string,
  invocation: Invocation,
  host: FlowHost,
): Promise<{ readonly project: Project; readonly flow: OpenFlow }> {
  const { terminal, options, settings } = invocation
  terminal.status(`Loading ${argument}`)
  const loading = async (): Promise<{ project: Project; flow: OpenFlow }> => {
    const project = await openProjectWithCode(invocation)
    const cwd = process.cwd()
    // As if started there; only what was typed is still read from where the person stands.
    if (settings.cwd !== undefined) process.chdir(project.root)
    const flow = await openFlow(argument, {
      project,
      cwd,
      isEphemeral: options.flag('ephemeral'),
    })
    return { project, flow }
  }
  const loaded = await host.guard(loading(), () => `${argument} is loading`)
  terminal.status(undefined)
  return loaded
}

function show(outcome: Outcome, invocation: Invocation): CommandResult {
  if (outcome.kind === 'drawn') {
    const { runnable, path } = outcome.flow
    const shape = runnable.describe()
    if (invocation.output.format === 'human') {
      invocation.terminal.stdout(`${drawFlow(shape, invocation.terminal.symbols).join('\n')}\n`)
    }
    const { name, nodes, edges } = shape
    return {
      exitCode: exitCode.ok,
      document: { flow: { name, file: path }, graph: encode({ nodes, edges }) },
    }
  }
  showReport(outcome.report, invocation)
  return { exitCode: outcome.report.exitCode, document: reportJson(outcome.report) }
}
