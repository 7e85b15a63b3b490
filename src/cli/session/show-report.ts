import { encode } from '../../core/codec.ts'
import { isHexagonError, HexagonError } from '../../core/errors.ts'
import { tellGithub } from '../ci/github.ts'
import type { Invocation } from '../invocation.ts'
import { continueCommand } from '../render/command-line.ts'
import { renderLeft, renderSuspended } from '../render/outcome.ts'
import { viewOf } from '../render/view.ts'
import { showError } from '../show-error.ts'
import { safeJson } from '../terminal/safe.ts'
import type { Report } from './report.ts'

/** What a run left, for a person: the result on stdout, everything else on stderr. */
export function showReport(report: Report, invocation: Invocation): void {
  const { terminal, settings, output } = invocation
  const isMachine = output.format !== 'human'
  if (settings.annotations && report.forCi) tellGithub(report, invocation)
  if (report.error !== undefined && !(isMachine && settings.quiet)) {
    showError(withNext(report), settings, terminal)
  }
  if (!settings.quiet) showWaiting(report, invocation)
  if (!isMachine && report.status === 'completed') printResult(report.result.output, invocation)
}

/** The flow's result: a text as it is, everything else as JSON; nothing for nothing. */
function printResult(value: unknown, { terminal }: Invocation): void {
  if (value === undefined) return
  if (typeof value === 'string') {
    terminal.stdout(`${value}\n`)
    return
  }
  const json = encode(value)
  const text = terminal.out.isTTY ? safeJson(JSON.stringify(json, null, 2)) : JSON.stringify(json)
  terminal.stdout(`${text}\n`)
}

function showWaiting(report: Report, { terminal, settings, options }: Invocation): void {
  const { status, left, result } = report
  if (status !== 'suspended' && status !== 'interrupted') return
  const { threadId, interrupts } = result
  const waiting = { threadId, interrupts, hints: !settings.inAutomation }
  const view = viewOf(terminal)
  const lines =
    left === undefined
      ? stoppedOr(report, () => renderSuspended(waiting, view), waiting.hints)
      : renderLeft(left, { ...waiting, promptTimeoutMs: options.number('promptTimeout') }, view)
  for (const line of lines) terminal.stderr(line)
}

function stoppedOr(
  { status, result }: Report,
  suspended: () => string[],
  hints: boolean,
): string[] {
  if (status !== 'interrupted') return suspended()
  return [`Stopped. Everything is saved${hints ? `: ${continueCommand(result.threadId)}` : '.'}`]
}

/** A failure says how to try again. */
function withNext({ error, status, next, place }: Report): unknown {
  if (status !== 'failed' || next === undefined || !isHexagonError(error)) return error
  return new HexagonError(error.code, error.message, {
    hint: [...(place === undefined ? [] : [`at ${place}`]), error.hint, `Retry: ${next}`]
      .filter((line) => line !== undefined)
      .join('\n'),
    details: error.details,
    cause: error.cause,
  })
}
