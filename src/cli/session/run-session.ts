// One run or resume of the command line, from its start to its report.
//
// Invariants:
//   1. The report is made after the run has ended, from what is stored.
//   2. A person who leaves a prompt by Ctrl+C or a signal ends the run as that signal would.

import type { InterruptHandler, RunResult, ThreadView } from '../../core/command.ts'
import { HexagonError, isHexagonError } from '../../core/errors.ts'
import type { RunEvent } from '../../core/event.ts'
import type { Run } from '../../runner/run.ts'
import type { ThreadRunner } from '../../runner/runner.ts'
import type { Redaction } from '../config/redaction.ts'
import { parseDuration } from '../duration.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import { answererOf } from '../identity.ts'
import type { Invocation } from '../invocation.ts'
import { leaveNow } from '../leave.ts'
import type { Project } from '../project.ts'
import type { PromptHandler } from '../prompt/handler.ts'
import { describeWhyNot } from '../terminal/interactivity.ts'
import { AnswerScript, type AnswerMap } from '../value/answers.ts'
import { createDraftStore } from './draft-store.ts'
import { Follower, type Cut } from './follow.ts'
import { InterruptPolicy } from './interrupt-policy.ts'
import { codeOfCut, reportOf, type Report } from './report.ts'
import { keepNewest } from './retention.ts'
import type { StopSignal } from './stop-signal.ts'

/** What a session runs with. */
export interface SessionOptions {
  readonly invocation: Invocation
  readonly project: Project
  readonly runner: ThreadRunner
  /** As prompts name it. */
  readonly flowName: string
  readonly answers: AnswerMap | undefined
  /** False where nothing is kept, so that nothing can be put off. */
  readonly canDefer: boolean
  onEvent(event: RunEvent): void
  /** False while nothing goes on but waiting for a person. */
  isWorking(): boolean
  /** The process is about to be ended although the run goes on. */
  onForceQuit(): void
}

/** Starts a run with the session's handler, follows it, and tells how it came out. */
export async function runSession(
  start: (onInterrupt: InterruptHandler) => Run,
  options: SessionOptions,
): Promise<Report> {
  const session = new Session(options)
  return session.run(start)
}

class Session {
  readonly #options: SessionOptions
  readonly #script: AnswerScript | undefined
  readonly #policy: InterruptPolicy
  readonly #follower: Follower
  #prompts: PromptHandler | undefined

  constructor(options: SessionOptions) {
    const { invocation, answers } = options
    const { options: given, env, input } = invocation
    this.#options = options
    this.#script = answers === undefined ? undefined : new AnswerScript(answers)
    this.#policy = new InterruptPolicy({
      script: this.#script,
      yes: given.flag('yes'),
      useDefaults: given.flag('useDefaults'),
      rest: restOf(invocation),
      ask: this.#ask,
      source: () => answererOf(given.text('as'), env),
      input,
    })
    this.#follower = new Follower({
      timeoutMs: given.number('timeout'),
      onEvent: (event) => options.onEvent(event),
      onSignal: (signal, again) => this.#announce(signal, again),
      onStuck: (cut) => void this.#forceQuit(cut),
    })
  }

  /** Runs to the end. */
  async run(start: (onInterrupt: InterruptHandler) => Run): Promise<Report> {
    const { runner, invocation } = this.#options
    const result = await this.#follower.follow(start(this.#policy.handle))
    this.#warnUnused()
    const { redaction } = this.#options.project
    if (this.#options.canDefer) await keepNewest(result.threadId, this.#options)
    const view = await viewOf(runner, result)
    return reportOf({
      result: redacted(result, redaction),
      cut: this.#follower.cut,
      view: view === undefined ? undefined : redaction.view(view),
      fault: this.#policy.fault,
      timeoutMs: invocation.options.number('timeout'),
      suspendedCode: this.#suspendedCode(),
      left: this.#prompts?.left,
    })
  }

  readonly #ask: InterruptHandler = async (open, context) => {
    this.#prompts ??= await this.#createPrompts()
    const { redaction } = this.#options.project
    const shown = open.map((interrupt) => redaction.interrupt(interrupt))
    const decision = await this.#prompts(shown, context)
    const { left } = this.#prompts
    // A signal from outside has reached the follower already; a key pressed in a prompt has not.
    if (this.#follower.cut !== undefined) return decision
    if (left?.kind === 'interrupted') this.#follower.stop('SIGINT')
    if (left?.kind === 'stopped') this.#follower.stop(left.signal)
    return decision
  }

  async #createPrompts(): Promise<PromptHandler> {
    const { createPromptHandler } = await import('../prompt/handler.ts')
    const { invocation, project, flowName, canDefer } = this.#options
    const { terminal, options, env } = invocation
    const { prompt } = project.config
    return createPromptHandler(terminal, {
      flow: flowName,
      canDefer,
      timeoutMs: options.number('promptTimeout') ?? durationOf(prompt?.timeout),
      approvalStart: prompt?.approvalDefault ?? 'defer',
      ...(prompt?.maxChoices === undefined ? {} : { maxChoices: prompt.maxChoices }),
      source: answererOf(options.text('as'), env),
      ...(canDefer ? { drafts: createDraftStore(project.storeDir, project.store.keys) } : {}),
    })
  }

  #announce(signal: StopSignal, again: boolean): void {
    const { terminal, settings } = this.#options.invocation
    if (settings.quiet || signal === 'SIGHUP') return
    // Nothing has to be waited for: the run ends at once, and says so.
    if (!again && !this.#options.isWorking()) return
    const more = signal === 'SIGINT' ? ' (Ctrl+C again to stop now)' : ''
    terminal.stderr(again ? 'Forced.' : `Stopping after the current step…${more}`)
  }

  async #forceQuit(cut: Cut): Promise<void> {
    this.#options.onForceQuit()
    this.#options.invocation.terminal.close()
    await leaveNow(codeOfCut(cut))
  }

  #warnUnused(): void {
    const { terminal } = this.#options.invocation
    for (const name of this.#script?.unused() ?? []) {
      const { err, symbols } = terminal
      terminal.stderr(
        `${err.paint.yellow(symbols.warn)} --answers: no question "${name}" was asked`,
      )
    }
  }

  #suspendedCode(): ExitCode {
    const { invocation, project } = this.#options
    const isZero =
      invocation.options.flag('exitZeroOnSuspend') || project.config.suspendExitCode === 0
    return isZero ? exitCode.ok : exitCode.suspended
  }
}

/** What happens to a question nothing answers. @throws HexagonError E1014 */
function restOf({ options, terminal }: Invocation): 'prompt' | 'suspend' | 'fail' {
  const wanted = options.text('onInterrupt')
  if (wanted === 'suspend' || wanted === 'fail') return wanted
  if (terminal.interactive) return 'prompt'
  if (wanted === undefined) return 'suspend'
  const why = terminal.whyNot === undefined ? '' : `: ${describeWhyNot(terminal.whyNot)}`
  throw new HexagonError('E1014', `Cannot ask here${why}`, {
    hint: 'Use --answers or --on-interrupt suspend',
  })
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text)
}

function redacted(result: RunResult, redaction: Redaction): RunResult {
  return {
    ...redaction.withInterrupts(result),
    state: redaction.record(result.state),
    ...('output' in result ? { output: redaction.value(result.output) } : {}),
  }
}

/** The thread as stored; a run that ended well is reported even if it can't be read again. */
async function viewOf(
  runner: ThreadRunner,
  { threadId }: RunResult,
): Promise<ThreadView | undefined> {
  try {
    return await runner.get(threadId)
  } catch (error) {
    if (isHexagonError(error)) return undefined
    throw error
  }
}
