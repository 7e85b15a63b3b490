import { formatAddress } from '../../core/address.ts'
import type { AnsweredInterrupt, TaskView, ThreadView } from '../../core/command.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine, safe } from '../terminal/safe.ts'
import { padEnd, widthOf } from '../terminal/width.ts'
import { wrap } from '../terminal/wrap.ts'
import { answerCommand, continueCommand } from './command-line.ts'
import { renderErrorRecord } from './error.ts'
import { placeOf } from './interrupt-name.ts'
import { textOf } from './json.ts'
import { nextNodes } from './next-nodes.ts'
import { payloadText } from './payload.ts'
import { boxed, changeLines, hasPayload } from './question.ts'
import { verdictOf } from './record.ts'
import { formatRelative } from './time.ts'
import type { View } from './view.ts'

/** How much of a thread is shown. */
export interface ThreadDetail {
  /** All of the state and the input. */
  readonly state: boolean
  /** Commands to type next. */
  readonly hints: boolean
}

type Fact = readonly [label: string, value: string]

const LABEL_WIDTH = 9
const ON_WIDTH = 'on an answer'.length

/** Everything about a thread: where it stands, what it asks, what was answered, what comes next. */
export function renderThread(thread: ThreadView, detail: ThreadDetail, view: View): string[] {
  const { output, state, input, error, interrupts, answered, tasks } = thread
  const parts = [
    headLines(thread, view),
    error === undefined ? [] : [`${view.paint.red(view.symbols.fail)} ${renderErrorRecord(error)}`],
    doubtLines(thread, view),
    interrupts.length === 0 ? [] : openLines(thread, detail, view),
    answered.length === 0 ? [] : answeredLines(answered, view),
    tasks.length === 0 ? [] : taskLines(tasks, view),
    output === undefined ? [] : valueLines('Output', output, view),
    detail.state ? valueLines('State', state, view) : [],
    detail.state && input !== undefined ? valueLines('Input', input, view) : [],
    nextLines(thread, detail, view),
  ]
  const shown = parts.filter((lines) => lines.length > 0)
  return shown.flatMap(apart)
}

/** With an empty line before every part but the first. */
function apart(lines: readonly string[], index: number): readonly string[] {
  return index === 0 ? lines : ['', ...lines]
}

function headLines(thread: ThreadView, view: View): string[] {
  const { flow, threadId, status, version, steps, createdAt, updatedAt, meta, holder } = thread
  const { paint, symbols } = view
  const { dot } = symbols
  const counts = `version ${version} ${dot} ${steps} ${steps === 1 ? 'step' : 'steps'}`
  const facts: Fact[] = [
    ...fact('file', meta.flowFile),
    ['started', timeAnd(createdAt, meta.by === undefined ? '' : ` by ${oneLine(meta.by)}`, view)],
    ['updated', timeAnd(updatedAt, ` ${dot} ${counts}`, view)],
    ...fact('runs in', meta.cwd),
    ...fact('fork of', meta.parent && `${meta.parent.threadId} at version ${meta.parent.version}`),
    ...fact('stopped', meta.stopped && timeAnd(meta.stopped.at, ` by ${meta.stopped.by}`, view)),
    ...fact(
      'in doubt',
      meta.inDoubt &&
        `what came after version ${meta.inDoubt.afterVersion}: it was restored ${when(meta.inDoubt.at, view)}`,
    ),
    ...fact(
      'held by',
      holder && `pid ${holder.pid} on ${holder.host} since ${when(holder.since, view)}`,
    ),
  ]
  const title = `${paint.bold(oneLine(flow))}  ${paint.cyan(oneLine(threadId))}  ${statusText(status, view)}`
  return [title, ...facts.map((entry) => factLine(entry, view))]
}

/** Steps in doubt that nobody is asked about yet; the others are among the open questions. */
function doubtLines({ inDoubt = [] }: ThreadView, view: View): string[] {
  const { paint, symbols, columns } = view
  const unasked = inDoubt.filter(({ interrupt }) => interrupt === undefined)
  if (unasked.length === 0) return []
  const count = `${unasked.length} ${unasked.length === 1 ? 'step' : 'steps'} in doubt`
  return [
    `${paint.yellow(symbols.warn)} ${paint.bold(count)}`,
    ...unasked.flatMap(({ step, address, at }) => [
      `  ${oneLine(step)}  ${paint.dim(`${oneLine(formatAddress(address, '/'))} ${symbols.dot} began ${when(at, view)}`)}`,
    ]),
    ...wrap(
      'Nobody knows whether it happened. It is found out, or asked, when the thread goes on.',
      columns - 2,
    ).map((line) => `  ${paint.dim(line)}`),
  ]
}

function openLines(thread: ThreadView, detail: ThreadDetail, view: View): string[] {
  const { paint, symbols } = view
  const { length } = thread.interrupts
  const title = `${paint.cyan(symbols.ask)} ${paint.bold(`${length} open ${length === 1 ? 'question' : 'questions'}`)}`
  return [
    title,
    ...thread.interrupts.flatMap((interrupt) => questionLines(interrupt, { thread, detail }, view)),
  ]
}

function questionLines(
  interrupt: Interrupt,
  { thread, detail }: { readonly thread: ThreadView; readonly detail: ThreadDetail },
  view: View,
): string[] {
  const { paint, symbols, columns, isTTY } = view
  const { id, ordinal, kind, openedAt, expiresAt, choices, message } = interrupt
  const meta = [
    placeOf(interrupt),
    when(openedAt, view),
    ...(expiresAt === undefined ? [] : [`expires ${when(expiresAt, view)}`]),
  ]
  const danger = interrupt.danger === true ? `  ${paint.red(`${symbols.warn} danger`)}` : ''
  const about = payloadText(interrupt, isTTY ? view.now : undefined)
  const payload = hasPayload(interrupt) ? safe(about).split('\n') : []
  const then = nextNodes(interrupt, thread.meta.shape)
  return [
    `  ${paint.cyan(`#${ordinal}`)}  ${kind}  ${paint.dim(oneLine(id))}  ${paint.dim(meta.join(` ${symbols.dot} `))}${danger}`,
    ...wrap(safe(message), columns - 6).map((line) => `      ${line}`),
    ...changeLines(interrupt, view).map((line) => `    ${line}`),
    ...payload.flatMap((line) => wrap(line, columns - 8)).map((line) => `    ${boxed(line, view)}`),
    ...(choices ?? []).map(
      ({ name, description }) =>
        `      ${symbols.dot} ${oneLine(name)}${description === undefined ? '' : paint.dim(`  ${oneLine(description)}`)}`,
    ),
    ...(then === undefined
      ? []
      : wrapFact([kind === 'approval' ? 'on approval' : 'on an answer', then], view)),
    ...(detail.hints && kind !== 'breakpoint'
      ? [`      ${paint.dim('answer'.padEnd(ON_WIDTH))}  ${paint.cyan(answerCommand(interrupt))}`]
      : []),
  ]
}

function answeredLines(answered: readonly AnsweredInterrupt[], view: View): string[] {
  const { paint, symbols } = view
  return [
    `${paint.green(symbols.ok)} ${paint.bold(`${answered.length} closed`)}`,
    ...answered.map((interrupt) => {
      const { ordinal, message, by, at, status } = interrupt
      const who = by === undefined ? '' : ` by ${oneLine(by)}`
      const time = at === undefined ? '' : `, ${when(at, view)}`
      const how = status === 'answered' || status === 'consumed' ? answerText(interrupt) : status
      return `  ${paint.cyan(`#${ordinal}`)}  ${how}${who}${paint.dim(time)}  ${oneLine(message)}`
    }),
  ]
}

/** The answer as it was recorded; the kind of the question is not kept with it. */
function answerText({ value, source }: AnsweredInterrupt): string {
  const isDecision =
    typeof value === 'boolean' ||
    (typeof value === 'object' && value !== null && 'approved' in value)
  const { word, detail } = verdictOf(
    { kind: isDecision ? 'approval' : 'input' },
    { value, reason: source?.reason },
  )
  const unseen = source?.unseen === true ? ` (unseen, ${source.via ?? 'by rule'})` : ''
  return `${word}${detail === undefined ? '' : `: ${detail}`}${unseen}`
}

function taskLines(tasks: readonly TaskView[], { paint, symbols }: View): string[] {
  const names = tasks.map(({ node, key }) => oneLine(key === undefined ? node : `${node}#${key}`))
  const width = names.reduce((most, name) => Math.max(most, widthOf(name)), 0)
  return [
    paint.bold('Tasks'),
    ...tasks.map(({ status, step, error }, index) => {
      const sign =
        status === 'failed'
          ? paint.red(symbols.fail)
          : status === 'parked'
            ? paint.cyan(symbols.ask)
            : paint.dim(symbols.dot)
      const text = error === undefined ? status : `${status}: ${renderErrorRecord(error)}`
      return `  ${sign} ${padEnd(names[index] ?? '', width)}  ${text}  ${paint.dim(`step ${step}`)}`
    }),
  ]
}

function valueLines(title: string, value: unknown, view: View): string[] {
  const lines = safe(textOf(value)).split('\n')
  return [view.paint.bold(title), ...lines.map((line) => boxed(line, view))]
}

function nextLines(
  { threadId, status, next }: ThreadView,
  { hints }: ThreadDetail,
  { paint, symbols }: View,
): string[] {
  const retry = status === 'failed' ? ' --retry' : ''
  const isOpen = status !== 'completed' && status !== 'cancelled'
  if (!isOpen) return []
  const nodes = next.length === 0 ? [] : [`Next: ${next.map(oneLine).join(', ')}`]
  const go =
    hints && status !== 'running'
      ? [`${symbols.go} ${paint.cyan(continueCommand(threadId) + retry)}`]
      : []
  return [...nodes, ...go]
}

function statusText(status: ThreadView['status'], { paint }: View): string {
  if (status === 'completed') return paint.green(status)
  if (status === 'failed' || status === 'crashed') return paint.red(status)
  return status === 'suspended' ? paint.yellow(status) : status
}

function fact(label: string, value: string | undefined): Fact[] {
  return value === undefined ? [] : [[label, value]]
}

function factLine([label, value]: Fact, { paint }: View): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}  ${oneLine(value)}`
}

function wrapFact([label, value]: Fact, { paint, columns }: View): string[] {
  const shown = label.padEnd(ON_WIDTH)
  const lead = `      ${shown}  `
  return wrap(oneLine(value), columns - lead.length).map((line, index) =>
    index === 0 ? `      ${paint.dim(shown)}  ${line}` : ' '.repeat(lead.length) + line,
  )
}

function timeAnd(iso: string, rest: string, view: View): string {
  return when(iso, view) + rest
}

/** Relative for people, exact for programs. */
function when(iso: string, { isTTY, now }: View): string {
  return isTTY ? formatRelative(iso, now) : iso
}
