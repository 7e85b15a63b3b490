import { resolve } from 'node:path'

import type { ThreadView } from '../../core/command.ts'
import type { HexagonError } from '../../core/errors.ts'
import type { AnswerSource } from '../../core/interrupt.ts'
import type { ThreadRunner } from '../../runner/runner.ts'
import type { AnswerPlan } from '../answer/plan.ts'
import { maskSecret } from '../ci/github.ts'
import { driftOf, shapeChanged } from '../flow/drift.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { openFlowOf, type OpenFlow } from '../flow/open-flow.ts'
import { restoreDirectory } from '../flow/working-directory.ts'
import { answererOf } from '../identity.ts'
import type { Invocation } from '../invocation.ts'
import type { Project } from '../project.ts'
import { placeOf } from '../render/interrupt-name.ts'
import { breakpointsOf } from '../session/breakpoints.ts'
import { conduct } from '../session/conduct.ts'
import type { Report } from '../session/report.ts'

/** A thread to go on with, and what it is answered. */
export interface ContinueRequest {
  readonly invocation: Invocation
  readonly project: Project
  readonly runner: ThreadRunner
  readonly view: ThreadView
  readonly plan: AnswerPlan | undefined
  readonly digests: Readonly<Record<string, string>>
  /** Nobody is asked anything, also at a terminal. */
  readonly unattended?: boolean
}

/** Loads the flow of a thread and goes on with it. @throws every refusal of a resume */
export async function continueThread(request: ContinueRequest): Promise<Report> {
  maskSecrets(request)
  const host = new FlowHost(request.invocation)
  try {
    const flow = await host.guard(
      loadFlowOf(request),
      () => `the flow of ${request.view.threadId} is loading`,
    )
    const isChanged = await acceptDrift(flow, request)
    return await proceed(request, { flow, host, isChanged })
  } finally {
    host.close()
  }
}

/** Before anything could show them. */
function maskSecrets({ plan, invocation: { settings, terminal } }: ContinueRequest): void {
  if (!settings.annotations) return
  for (const { question, value } of plan?.answers ?? []) {
    if (question.secret === true) maskSecret(value, terminal)
  }
}

/** Loads the flow of a thread, in the directory the thread was started in. @throws HexagonError E1101 to E1118, E1315, E1320 */
export async function loadFlowOf({
  invocation,
  project,
  view,
}: Pick<ContinueRequest, 'invocation' | 'project' | 'view'>): Promise<OpenFlow> {
  const moved = invocation.options.text('flow')
  // Named from where the person stands, not from where the thread once ran.
  const argument = moved === undefined || !/[/.]/u.test(moved) ? moved : resolve(moved)
  restoreDirectory(view, project.root)
  return openFlowOf(view, argument, { project })
}

interface Ready {
  readonly flow: OpenFlow
  readonly host: FlowHost
  /** The flow was changed, and that is accepted. */
  readonly isChanged: boolean
}

function proceed(request: ContinueRequest, { flow, host, isChanged }: Ready): Promise<Report> {
  const { invocation, view, plan, digests, runner, project } = request
  const { options } = invocation
  const answers = Object.fromEntries(
    (plan?.answers ?? []).map(({ question, value }) => [question.id, value]),
  )
  const ifVersion = options.number('ifVersion')
  const command = { answers, digests, ...(ifVersion === undefined ? {} : { ifVersion }) }
  const [first] = plan?.answers ?? []
  return conduct(
    (onInterrupt) =>
      runner.resume(view.threadId, command, {
        flow: flow.runnable,
        onInterrupt,
        maxSteps: options.number('maxSteps'),
        ...breakpointsOf(options),
        retryFailed: options.flag('retry'),
        allowChanged: isChanged,
        stealLock: options.flag('stealLock'),
        strictReplay: !isChanged,
        meta: {
          files: flow.fingerprint,
          flowFile: flow.path,
          flowExport: flow.exportName,
          shape: flow.runnable.describe(),
        },
        ...(plan === undefined ? {} : { source: sourceOf(plan, invocation) }),
      }),
    {
      invocation,
      project,
      runner,
      flow,
      host,
      open: view.interrupts,
      continuedAt: first === undefined ? undefined : placeOf(first.question),
      reason: plan?.reason,
    },
  )
}

/** Who answered and how, for the record. */
export function sourceOf(plan: AnswerPlan, { options, env }: Invocation): AnswerSource {
  return {
    ...answererOf(options.text('as'), env),
    via: plan.via,
    ...(plan.unseen ? { unseen: true } : {}),
    ...(plan.reason === undefined ? {} : { reason: plan.reason }),
  }
}

/** True when the flow was changed and going on is accepted. @throws HexagonError E1305 when it is not */
async function acceptDrift(flow: OpenFlow, request: ContinueRequest): Promise<boolean> {
  const { invocation, view, project } = request
  const { options, terminal, settings } = invocation
  const isAllowed = options.flag('allowChanged')
  const drift = driftOf(view, flow)
  if (drift.kind === 'none') return isAllowed
  if (drift.kind === 'shape') {
    if (isAllowed) return true
    const error = shapeChanged(view.threadId, flow.path, drift.changes)
    if (await agrees(error, request)) return true
    throw error
  }
  const policy = project.config.onFlowChange ?? 'warn'
  if (policy === 'refuse' && !isAllowed) throw shapeChanged(view.threadId, flow.path, ['its code'])
  if (policy === 'warn' && !settings.quiet) {
    const { err, symbols } = terminal
    terminal.stderr(
      `${err.paint.yellow(symbols.warn)} ${flow.path} changed since ${view.threadId} was saved; going on with it as it is now`,
    )
  }
  return isAllowed
}

/** At a terminal a person may say that the change is fine. */
async function agrees(
  error: HexagonError,
  { invocation: { terminal }, unattended }: ContinueRequest,
): Promise<boolean> {
  if (!terminal.interactive || unattended === true) return false
  const asked = await terminal.prompter.select({
    message: 'Continue with the changed flow?',
    above: [error.message],
    options: [
      { value: false, name: 'Decide later', word: 'later' },
      { value: true, name: 'Continue with the changed flow', word: 'continue' },
    ],
  })
  return asked.kind === 'answer' && asked.value
}
