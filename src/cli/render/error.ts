import { isHexagonError } from '../../core/errors.ts'
import type { ErrorRecord } from '../../core/event.ts'
import { oneLine, safe } from '../terminal/safe.ts'
import { wrap } from '../terminal/wrap.ts'
import { viewOf, type View, type Viewable } from './view.ts'

/** How much of an error is told: with 2 its stack and its causes. */
export interface ErrorDetail {
  readonly verbosity: 0 | 1 | 2
}

/** A command on its own line is for copying: it is never wrapped. */
const COMMAND = /^\s*(hexagon|npm|npx) /u

/** An error as a person reads it: what happened and its code, then what to do. */
export function renderError(
  error: unknown,
  { verbosity }: ErrorDetail,
  terminal: Viewable,
): string[] {
  const view = viewOf(terminal)
  const { frame, summary } = partsOf(error)
  const { message, code, hint, stack } = recordOf(error)
  return [
    ...headLines(summary ?? message, code, view),
    ...(frame === undefined ? [] : indented(frame, view)),
    ...(hint === undefined ? [] : hintLines(hint, view)),
    ...(verbosity < 2 ? [] : stackLines(error, stack, view)),
  ]
}

/** An error that is stored with a thread, on one line. */
export function renderErrorRecord({ message, code }: ErrorRecord): string {
  return code === undefined ? oneLine(message) : `${oneLine(message)}  [${code}]`
}

function recordOf(error: unknown): Omit<ErrorRecord, 'name'> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, stack } = error
  const shown = message === '' ? error.name : message
  const trace = stack === undefined ? {} : { stack }
  if (!isHexagonError(error)) return { message: shown, ...trace }
  const { code, hint } = error
  return { message: shown, code, ...(hint === undefined ? {} : { hint }), ...trace }
}

/** What load errors bring along: a headline, and the lines of the file around the place. */
function partsOf(error: unknown): { readonly frame?: string; readonly summary?: string } {
  if (!isHexagonError(error)) return {}
  const { frame, summary } = error.details
  return {
    ...(typeof frame === 'string' ? { frame } : {}),
    ...(typeof summary === 'string' ? { summary } : {}),
  }
}

function headLines(message: string, code: string | undefined, view: View): string[] {
  const { paint, symbols, columns } = view
  const tag = code === undefined ? '' : `  [${code}]`
  const [first = '', ...rest] = wrap(`${symbols.fail} ${safe(message)}${tag}`, columns)
  const lines = [first, ...rest.map((line) => `  ${line.trimStart()}`)]
  return lines.map((line) => {
    const bare = line.replace(tag.trim(), '').trimEnd()
    const end = tag !== '' && line.endsWith(tag.trim()) ? `  ${paint.dim(tag.trim())}` : ''
    return end === '' ? colored(line, view) : colored(bare, view) + end
  })
}

function colored(line: string, { paint, symbols }: View): string {
  return line.startsWith(symbols.fail)
    ? paint.red(symbols.fail) + paint.bold(line.slice(symbols.fail.length))
    : paint.bold(line)
}

function hintLines(hint: string, { columns, paint }: View): string[] {
  return safe(hint)
    .split('\n')
    .flatMap((line) => (COMMAND.test(line) ? [line.trim()] : wrap(line, columns - 2)))
    .map((line) => `  ${COMMAND.test(line) ? paint.cyan(line) : line}`)
}

function indented(text: string, { paint }: View): string[] {
  return safe(text)
    .split('\n')
    .map((line, index) => `  ${index === 0 ? line : paint.dim(line)}`)
}

function stackLines(error: unknown, stack: string | undefined, { paint }: View): string[] {
  const own = stack === undefined ? [] : safe(stack).split('\n')
  const causes = causesOf(error).flatMap(causeLines)
  return [...own, ...causes].map((line) => paint.dim(`  ${line}`.trimEnd()))
}

function causeLines(cause: Error): string[] {
  return ['', ...safe(`Caused by ${cause.stack ?? cause.message}`).split('\n')]
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  let current: unknown = error instanceof Error ? error.cause : undefined
  while (current instanceof Error && !causes.includes(current)) {
    causes.push(current)
    current = current.cause
  }
  return causes
}
