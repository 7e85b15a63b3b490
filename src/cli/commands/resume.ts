import { HexagonError, isHexagonError } from '../../core/errors.ts'
import type { ThreadRunner } from '../../runner/runner.ts'
import { readGivenAnswer, type GivenAnswer } from '../answer/given-answer.ts'
import { planAnswers } from '../answer/plan.ts'
import { assertReviewed, readDigests } from '../answer/review.ts'
import { exitCodeOf } from '../exit-code.ts'
import { openFlowRunner } from '../flow-runner.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { errorJson } from '../json/error-json.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import { assertStore, openProjectWithCode, type Project } from '../project.ts'
import { continueThread, type ContinueRequest } from '../resume/continue-thread.ts'
import { assertOpen, refusalToGoOn } from '../resume/readiness.ts'
import { storeAnswers } from '../resume/store-answers.ts'
import { whichThread } from '../resume/which-thread.ts'
import { reportJson, type Report } from '../session/report.ts'
import { showReport } from '../session/show-report.ts'
import { showError } from '../show-error.ts'
import { findThread, selectThread, type SelectedThread } from '../thread-selector.ts'

/** Answers a waiting thread and continues it. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const given = await readGivenAnswer(invocation)
  const project = await openProjectWithCode(invocation)
  assertStore(project)
  const runner = openFlowRunner(project.openStore(), invocation.settings)
  const [selector = ''] = invocation.args
  const picked =
    selector === ''
      ? await whichThread(invocation, runner)
      : ({ kind: 'thread', threadId: selector } as const)
  if (picked.kind === 'left') return { exitCode: picked.exitCode }
  const selected = await selectThread(picked.threadId, runner)
  try {
    const request = { invocation, project, runner, view: selected.view }
    const plan = await prepare(selected, given, invocation)
    return await carryOut({ ...request, ...plan })
  } catch (error) {
    if (!isHexagonError(error)) throw error
    return refused(error, selected, { invocation, project, runner })
  }
}

/** Everything that can be refused before the flow is loaded. */
async function prepare(
  { view, interruptId, exact }: SelectedThread,
  given: GivenAnswer,
  invocation: Invocation,
): Promise<Pick<ContinueRequest, 'plan' | 'digests'>> {
  const { options, terminal, input, args } = invocation
  const interrupt = namedQuestion(interruptId, options.text('interrupt'))
  assertOpen(view, interrupt)
  const plan = await planAnswers({ view, interrupt, given, input })
  if (plan === undefined) {
    const refusal = refusalToGoOn(view, {
      interactive: terminal.interactive,
      retry: options.flag('retry'),
      stealLock: options.flag('stealLock'),
      yes: options.flag('yes'),
      useDefaults: options.flag('useDefaults'),
    })
    if (refusal !== undefined) throw refusal
    return { plan, digests: {} }
  }
  const digests = readDigests(options.list('digest'), plan)
  if (!exact && !terminal.interactive) assertReviewed(plan, digests, args[0] ?? '')
  return { plan, digests }
}

function namedQuestion(
  selected: string | undefined,
  named: string | undefined,
): string | undefined {
  if (selected === undefined || named === undefined || selected === named) return selected ?? named
  throw new HexagonError('E1006', `"${selected}" and --interrupt ${named} exclude each other`, {
    hint: 'Leave --interrupt out: the first names the question already.',
  })
}

async function carryOut(request: ContinueRequest): Promise<CommandResult> {
  const { invocation } = request
  if (invocation.options.off('run')) return storeAnswers(request)
  const report: Report = await continueThread(request)
  showReport(report, invocation)
  return { exitCode: report.exitCode, document: reportJson(report) }
}

/** A refusal changes nothing; for programs it says how the thread stands. */
async function refused(
  error: HexagonError,
  { view }: SelectedThread,
  {
    invocation,
    project,
    runner,
  }: {
    readonly invocation: Invocation
    readonly project: Project
    readonly runner: ThreadRunner
  },
): Promise<CommandResult> {
  const { settings, terminal, output } = invocation
  if (output.format === 'human' || !settings.quiet) showError(error, settings, terminal)
  const now = (await findThread(view.threadId, runner)) ?? view
  return {
    exitCode: exitCodeOf(error),
    document: {
      status: now.status,
      thread: headJson(now),
      interrupts: project.redaction.withInterrupts(now).interrupts.map(interruptJson),
      error: errorJson(error),
    },
  }
}
