// What GitHub Actions is told: outputs, a summary, annotations. Only where GITHUB_ACTIONS is true and
// nobody switched it off.

import { appendFileSync } from 'node:fs'

import { encode } from '../../core/codec.ts'
import { isHexagonError, messageOf } from '../../core/errors.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import type { Invocation } from '../invocation.ts'
import { placeOf, wantedOf } from '../render/interrupt-name.ts'
import type { Report } from '../session/report.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { stepOutput } from './step-output.ts'
import { stepSummary } from './step-summary.ts'
import { workflowCommand } from './workflow-command.ts'

const LONGEST_RESULT = 256 * 1024

/** The runner keeps 10 annotations of a kind and step. */
const MOST_NOTICES = 10

const NO_DETAILS: Readonly<Record<string, unknown>> = {}

/** Writes what a run left where the runner looks for it. */
export function tellGithub(report: Report, { env, terminal }: Invocation): void {
  const { result, status, exitCode, error } = report
  const json = JSON.stringify(encode(result.output ?? null))
  append(
    env['GITHUB_OUTPUT'],
    stepOutput({
      thread: result.threadId,
      status,
      'exit-code': String(exitCode),
      'interrupt-kind': result.interrupts[0]?.kind,
      version: String(result.version),
      result: json.length <= LONGEST_RESULT ? json : undefined,
    }),
  )
  append(env['GITHUB_STEP_SUMMARY'], stepSummary(report))
  if (error !== undefined) annotateError(error, terminal)
  for (const interrupt of result.interrupts.slice(0, MOST_NOTICES)) notice(interrupt, terminal)
}

/** An error as an annotation, at its place in a file where it has one. */
export function annotateError(error: unknown, terminal: Terminal): void {
  const { file, line, column } = isHexagonError(error) ? error.details : NO_DETAILS
  terminal.announce(
    workflowCommand('error', messageOf(error), {
      file: typeof file === 'string' ? file : undefined,
      line: typeof line === 'number' ? line : undefined,
      col: typeof column === 'number' ? column : undefined,
      title: isHexagonError(error) ? error.code : 'E1499',
    }),
  )
}

/** A secret that was given on the command line is never to be shown in a log. */
export function maskSecret(value: unknown, terminal: Terminal): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text !== '') terminal.announce(workflowCommand('add-mask', text))
}

function notice(interrupt: Interrupt, terminal: Terminal): void {
  const message = `${placeOf(interrupt)} waits for ${wantedOf(interrupt)}: ${interrupt.message}`
  terminal.announce(workflowCommand('notice', message, { title: 'Waiting' }))
}

function append(file: string | undefined, text: string): void {
  if (file !== undefined && file !== '') appendFileSync(file, text)
}
