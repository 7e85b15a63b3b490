import type { InterruptHandler } from '../../core/command.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import type { Run } from '../../runner/run.ts'
import type { ThreadRunner } from '../../runner/runner.ts'
import type { FlowHost } from '../flow/flow-host.ts'
import type { OpenFlow } from '../flow/open-flow.ts'
import type { Invocation } from '../invocation.ts'
import type { Project } from '../project.ts'
import type { AnswerMap } from '../value/answers.ts'
import type { Report } from './report.ts'
import { runSession } from './run-session.ts'
import { RunView } from './run-view.ts'
import { sourcePlace } from './source-place.ts'

/** What a run is carried out with. */
export interface Conduct {
  readonly invocation: Invocation
  readonly project: Project
  readonly runner: ThreadRunner
  readonly flow: OpenFlow
  readonly host: FlowHost
  /** Answers to questions that will come up. */
  readonly answers?: AnswerMap | undefined
  /** Questions that are open already. */
  readonly open?: readonly Interrupt[]
  readonly continuedAt?: string | undefined
  readonly reason?: string | undefined
  /** False where nothing is kept, so that nothing can be put off. */
  readonly canDefer?: boolean
}

/** Carries out one run: shows it while it goes, asks what it asks, and tells how it came out. */
export async function conduct(
  start: (onInterrupt: InterruptHandler) => Run,
  { host, flow, open = [], continuedAt, reason, answers, canDefer = true, ...rest }: Conduct,
): Promise<Report> {
  const shape = flow.runnable.describe()
  const { redaction } = rest.project
  const view = new RunView(rest.invocation, { shape, redaction, open, continuedAt, reason })
  const session = runSession(start, {
    ...rest,
    answers,
    canDefer,
    flowName: flow.path,
    onEvent: (event) => view.event(event),
    isWorking: view.isWorking,
    onForceQuit: () => host.close(),
  })
  const report = await host.guard(session, view.doing)
  const { root, config } = rest.project
  return {
    ...report,
    nodes: view.nodes,
    forCi: config.ci !== false,
    place: report.status === 'failed' ? sourcePlace(report.error, root) : undefined,
  }
}
