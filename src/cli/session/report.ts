import { encode } from '../../core/codec.ts'
import type { RunResult, ThreadView } from '../../core/command.ts'
import { HexagonError, messageOf } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { exitCode, exitCodeOf, type ExitCode } from '../exit-code.ts'
import { errorJson } from '../json/error-json.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import type { LeftAt } from '../prompt/handler.ts'
import { answerCommand, continueCommand } from '../render/command-line.ts'
import { formatDuration } from '../render/time.ts'
import type { Cut } from './follow.ts'
import { codeOfSignal } from './stop-signal.ts'

/** How a run is told to the outside. `timeout` and `interrupted` are the run's; its thread waits. */
export type ReportStatus = RunResult['status'] | 'timeout' | 'interrupted'

/** What is known when a run has ended. */
export interface ReportParts {
  readonly result: RunResult
  readonly cut: Cut | undefined
  /** The thread as stored; absent when it can't be read any more. */
  readonly view: ThreadView | undefined
  /** Something the command line refused while the run went on. */
  readonly fault: HexagonError | undefined
  readonly timeoutMs: number | undefined
  readonly suspendedCode: ExitCode
  /** How the person left the prompts. */
  readonly left: LeftAt | undefined
}

/** One task of a run, when it ended. */
export interface NodeTime {
  readonly node: string
  readonly outcome: string
  readonly ms: number
}

/** How a run came out, ready to be shown or written. */
export interface Report {
  readonly status: ReportStatus
  readonly exitCode: ExitCode
  readonly result: RunResult
  readonly view: ThreadView | undefined
  readonly error: Error | undefined
  readonly left: LeftAt | undefined
  /** The command that goes on; absent when there is nothing to go on with. */
  readonly next: string | undefined
  /** The tasks that ended, the first ones of very many. */
  readonly nodes: readonly NodeTime[]
  /** False where the configuration keeps the CI service out. */
  readonly forCi: boolean
  /** Where in the project it failed: `flows/deploy.ts:41:9`. */
  readonly place: string | undefined
}

/** Puts together what a run left: status, exit code, error and the next command. */
export function reportOf(parts: ReportParts): Report {
  const { result, view, cut } = parts
  const isOver = result.status === 'completed' || result.status === 'failed'
  const status = cut === undefined || isOver ? result.status : OF_CUT[cut.kind]
  return {
    status,
    result,
    view,
    exitCode: codeOf(status, parts),
    error: errorOf(status, parts),
    left: parts.left,
    next: nextCommand(result),
    nodes: [],
    forCi: true,
    place: undefined,
  }
}

const OF_CUT: Readonly<Record<Cut['kind'], ReportStatus>> = {
  signal: 'interrupted',
  timeout: 'timeout',
  stray: 'failed',
}

/** The exit code of a run that was cut short. */
export function codeOfCut(cut: Cut): ExitCode {
  if (cut.kind === 'signal') return codeOfSignal[cut.signal]
  return cut.kind === 'timeout' ? exitCode.timeout : exitCode.failed
}

function codeOf(status: ReportStatus, { cut, fault, suspendedCode }: ReportParts): ExitCode {
  switch (status) {
    case 'completed':
      return exitCode.ok
    case 'failed':
      return exitCode.failed
    case 'cancelled':
      return exitCode.interrupted
    case 'timeout':
    case 'interrupted':
      return cut === undefined ? exitCode.interrupted : codeOfCut(cut)
    case 'suspended':
      return fault === undefined ? suspendedCode : exitCodeOf(fault)
  }
}

function errorOf(status: ReportStatus, parts: ReportParts): Error | undefined {
  if (status === 'timeout') return timeoutError(parts)
  if (status === 'failed') return parts.result.error ?? strayError(parts)
  return status === 'suspended' ? parts.fault : undefined
}

function timeoutError({ result, timeoutMs, view }: ReportParts): HexagonError {
  const after = timeoutMs === undefined ? '' : ` after ${formatDuration(timeoutMs)}`
  const at = view?.next[0] === undefined ? '' : ` at node:${view.next[0]}`
  return new HexagonError('E1407', `Stopped${after}${at}`, {
    hint: `Saved: ${continueCommand(result.threadId)}`,
    details: { threadId: result.threadId },
  })
}

function strayError({ cut, result }: ReportParts): HexagonError | undefined {
  if (cut?.kind !== 'stray') return undefined
  const { threadId } = result
  return new HexagonError(
    'E1401',
    `The flow left an error that nobody caught: ${messageOf(cut.error)}`,
    {
      hint: `Await every promise, or catch what it rejects with. Saved: ${continueCommand(threadId)}`,
      cause: cut.error,
      details: { threadId },
    },
  )
}

/** The command that goes on with a thread, with everything it needs to mean only what was seen. */
export function nextCommand({ status, threadId, interrupts }: RunResult): string | undefined {
  if (status === 'completed' || status === 'cancelled') return undefined
  if (status === 'failed') return `${continueCommand(threadId)} --retry`
  const [first, ...others] = interrupts.filter(({ kind }) => kind !== 'breakpoint')
  if (first === undefined) return continueCommand(threadId)
  return others.length === 0
    ? answerCommand(first)
    : `${continueCommand(threadId)} --answers <json>`
}

/** The document of `run` and `resume`. */
export function reportJson(report: Report): JsonObject {
  const { status, result, view, error, next } = report
  return {
    status,
    thread: threadJson(report),
    interrupts: result.interrupts.map(interruptJson),
    result: encode(result.output ?? null),
    ...(error === undefined ? {} : { error: errorJson(error) }),
    ...(next === undefined ? {} : { resume: next }),
    ...(report.place === undefined ? {} : { place: report.place }),
    ...(view?.meta.stopped === undefined ? {} : { stopped: encode(view.meta.stopped) }),
  }
}

function threadJson({ result, view }: Report): JsonObject {
  if (view !== undefined) return headJson(view)
  return { id: result.threadId, version: result.version, steps: result.steps }
}
