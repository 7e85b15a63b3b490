import type { Interrupt } from '../../core/interrupt.ts'
import { answerCommand } from '../render/command-line.ts'
import { placeOf, wantedOf } from '../render/interrupt-name.ts'
import { textOf } from '../render/json.ts'
import { formatDuration } from '../render/time.ts'
import type { Report } from '../session/report.ts'
import { oneLine, safe } from '../terminal/safe.ts'

/** The runner drops a summary of more than 1,024 KB. */
const LONGEST = 900_000
const QUESTIONS = 20

/** What a run left, in Markdown, for the file that `$GITHUB_STEP_SUMMARY` names. */
export function stepSummary(report: Report): string {
  const { status, result, view, nodes, error, next } = report
  const flow = cell(view?.flow ?? 'run')
  const parts = [
    `### ${flow}: ${status}`,
    `Thread \`${result.threadId}\`, version ${result.version}`,
    ...(nodes.length === 0 ? [] : [nodeTable(nodes)]),
    ...(error === undefined ? [] : [fenced(error.message)]),
    ...result.interrupts.slice(0, QUESTIONS).map(questionPart),
    ...(result.interrupts.length > QUESTIONS
      ? [`… and ${result.interrupts.length - QUESTIONS} more questions`]
      : []),
    ...(next === undefined ? [] : [`Continue:\n\n${fenced(next)}`]),
  ]
  return cut(`${parts.join('\n\n')}\n`)
}

function nodeTable(nodes: Report['nodes']): string {
  const rows = nodes.map(
    ({ node, outcome, ms }) => `| ${cell(node)} | ${outcome} | ${formatDuration(ms)} |`,
  )
  return ['| node | outcome | time |', '| --- | --- | --- |', ...rows].join('\n')
}

function questionPart(interrupt: Interrupt): string {
  const { message, payload, secret } = interrupt
  const shown =
    payload === undefined || payload === null || secret === true
      ? ''
      : `\n\n${fenced(textOf(payload))}`
  return `**Waiting for ${wantedOf(interrupt)}** at \`${placeOf(interrupt)}\`\n\n${fenced(message)}${shown}\n\n${fenced(answerCommand(interrupt))}`
}

/** A fence longer than any run of backticks inside, so that the text can't end it. */
function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${safe(text)}\n${fence}`
}

function cell(text: string): string {
  return oneLine(text).replaceAll(/[|<>`\\*_[\]]/gu, String.raw`\$&`)
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n\n… cut\n`
}
