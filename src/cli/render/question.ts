import type { Interrupt } from '../../core/interrupt.ts'
import { wording } from '../prompt/wording.ts'
import { oneLine, safe } from '../terminal/safe.ts'
import { widthOf } from '../terminal/width.ts'
import { cutLines, wrap } from '../terminal/wrap.ts'
import { diffLines, type DiffLine } from './diff.ts'
import { placeOf } from './interrupt-name.ts'
import { textOf } from './json.ts'
import { payloadText } from './payload.ts'
import { formatRelative } from './time.ts'
import type { View } from './view.ts'

/** Where a question stands among those of its thread. */
export interface Position {
  readonly flow: string
  readonly index: number
  readonly total: number
  /** True where the menu has an entry that shows everything. */
  readonly viewable: boolean
}

/** A question as lines, and whether some of it did not fit. */
export interface DrawnQuestion {
  readonly lines: readonly string[]
  readonly cut: boolean
}

const MENU_ROWS = 10
const LEAST_ROWS = 8
const NARROW = 60

/** The head of a question, its message and as much of its payload as leaves room for a menu. */
export function renderQuestion(
  interrupt: Interrupt,
  position: Position,
  view: View,
): DrawnQuestion {
  const { plain } = view
  const where = { ...view, interrupt, viewable: position.viewable }
  const title = titleLines(interrupt, position, view)
  const room = Math.max(LEAST_ROWS, view.rows - MENU_ROWS - title.length - 2)
  const payload = payloadLines(interrupt, view)
  const message = cutLines(
    messageLines(interrupt, view),
    payload.length > 0 ? Math.ceil(room / 2) : room,
  )
  const body = cutLines(payload, Math.max(3, room - message.lines.length - 1))
  const lines = [
    '',
    ...title,
    ...message.lines,
    ...moreLine(message.more, plain ? '' : '  ', where),
    ...noteLines(interrupt, view),
    ...changeLines(interrupt, view),
    ...(body.lines.length > 0 && !plain ? [''] : []),
    ...body.lines.map((line) => boxed(line, view)),
    ...moreLine(body.more, boxed('', view), where),
    ...(plain ? [] : ['']),
  ]
  return { lines, cut: message.more + body.more > 0 }
}

/** Everything the question says, for a pager. */
export function fullText(interrupt: Interrupt): string {
  const payload = hasPayload(interrupt) ? ['', payloadText(interrupt)] : []
  return safe([interrupt.message, ...payload, ''].join('\n'))
}

/** True when there is more to a question than its message. */
export function hasPayload({ payload, message }: Pick<Interrupt, 'payload' | 'message'>): boolean {
  if (payload === undefined || payload === null || payload === message) return false
  return typeof payload !== 'object' || Object.keys(payload).length > 0
}

/** A line behind a bar: what the flow says, told from what hexagon says. */
export function boxed(line: string, { paint, symbols, plain }: View): string {
  return plain ? line : `  ${paint.dim(symbols.bar)} ${line}`
}

function titleLines(interrupt: Interrupt, position: Position, view: View): string[] {
  const { paint, symbols, columns, plain } = view
  const title = wording.title[interrupt.kind]
  const place = placeOf(interrupt)
  const flow = oneLine(position.flow)
  if (plain) {
    const danger = interrupt.danger === true ? ' (danger)' : ''
    return [
      `[hexagon] ${title}${danger}: ${flow}, ${place}, question ${position.index} of ${position.total}`,
    ]
  }
  const sign = interrupt.danger === true ? paint.red : paint.cyan
  const danger = interrupt.danger === true ? `  ${paint.red(`${symbols.warn} danger`)}` : ''
  const left = `${sign(symbols.ask)} ${paint.bold(title)}${danger}`
  const parts = [flow, place, `${position.index} of ${position.total}`]
  const meta = parts.join(` ${symbols.dot} `)
  const gap = columns - widthOf(left) - widthOf(meta)
  if (gap >= 2) return [left + ' '.repeat(gap) + paint.dim(meta)]
  const wrapped = wrap(meta, columns - 2).map((line) => `  ${paint.dim(line)}`)
  return [left, ...wrapped]
}

function messageLines({ message }: Interrupt, { columns, plain }: View): string[] {
  const indent = plain ? '' : '  '
  return wrap(safe(message), columns - indent.length).map((line) =>
    line === '' ? '' : indent + line,
  )
}

function payloadLines(interrupt: Interrupt, { columns, rows, now }: View): string[] {
  if (!hasPayload(interrupt)) return []
  const lines = safe(payloadText(interrupt, now)).split('\n')
  const width = Math.max(1, columns - 4)
  return lines.flatMap((line, index) => (index < rows ? payloadLine(line, width, rows) : ['']))
}

/** Only what may be shown is wrapped: a payload may have a million lines, or one that long. The rest is counted. */
function payloadLine(line: string, width: number, rows: number): string[] {
  const start = line.slice(0, (width + 4) * rows)
  const rest = Math.ceil((line.length - start.length) / width)
  return [...wrap(start, width), ...Array<string>(rest).fill('')]
}

function noteLines({ expiresAt, default: usual }: Interrupt, view: View): string[] {
  if (expiresAt === undefined) return []
  const { symbols, now, paint, plain } = view
  const then = usual === undefined ? '' : ', then its default counts'
  const note = `${symbols.clock} expires ${formatRelative(expiresAt, now)}${then}`
  return plain ? [note] : [`  ${paint.yellow(note)}`]
}

/** What an amended question asked before. */
export function changeLines(interrupt: Interrupt, view: View): string[] {
  const { changedFrom } = interrupt
  if (changedFrom === undefined) return []
  const { paint, symbols, columns, plain } = view
  const before = [
    changedFrom.message,
    ...(hasPayload(changedFrom) ? [textOf(changedFrom.payload)] : []),
  ]
  const after = [interrupt.message, ...(hasPayload(interrupt) ? [textOf(interrupt.payload)] : [])]
  const changed = diffLines(linesOf(before), linesOf(after)).filter(({ kind }) => kind !== 'same')
  const head = `${symbols.warn} This question changed since it was answered; that answer is void.`
  const indent = plain ? '' : '  '
  return [
    ...wrap(head, columns - 2).map((line) => indent + paint.yellow(line)),
    ...cutLines(
      changed.map((line) => diffLine(line, view)),
      10,
    ).lines,
  ]
}

function linesOf(texts: readonly string[]): string[] {
  return safe(texts.join('\n')).split('\n')
}

function diffLine({ kind, text }: DiffLine, view: View): string {
  const [line = ''] = wrap(`${kind === 'gone' ? '-' : '+'} ${text}`, view.columns - 4)
  return boxed(kind === 'gone' ? view.paint.red(line) : view.paint.green(line), view)
}

type Where = View & { readonly interrupt: Interrupt; readonly viewable: boolean }

function moreLine(more: number, lead: string, where: Where): string[] {
  if (more === 0) return []
  const { symbols, paint, columns, plain } = where
  const count = `${more.toLocaleString('en')} more ${more === 1 ? 'line' : 'lines'}`
  // At 40 columns the long form would be broken.
  const space = plain || columns >= NARROW ? ' ' : ''
  return [lead + paint.dim(`${symbols.more}${space}${count} (${howToView(where)})`)]
}

function howToView({ interrupt, viewable, columns, plain }: Where): string {
  if (!viewable) return `hexagon show ${oneLine(interrupt.id)}`
  if (plain) return 'type view'
  return columns < NARROW ? 'v to view' : `choose "${wording.approval.view}"`
}
