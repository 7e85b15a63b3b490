import type { ThreadMeta } from '../../core/command.ts'
import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine } from '../terminal/safe.ts'
import { truncate } from '../terminal/width.ts'
import { placeOf } from './interrupt-name.ts'
import { shortIds } from './short-id.ts'
import { renderTable, type Column, type Row } from './table.ts'
import { formatRelative } from './time.ts'
import type { View } from './view.ts'

/** A thread that waits, as the list needs it. */
export interface WaitingThread {
  readonly id: string
  readonly flow: string
  readonly status: string
  readonly updatedAt: string
  readonly interrupts: readonly Interrupt[]
  /** How many questions have an answer that is not used yet. */
  readonly answered: number
  readonly holder?: { readonly pid: number } | undefined
  readonly meta?: Pick<ThreadMeta, 'flowFile'>
}

/** A file of the store that can't be read. */
export interface DamagedFile {
  readonly file: string
}

/** The list for stdout, and the sentence below it for stderr at a terminal. */
export interface PendingList {
  readonly lines: readonly string[]
  readonly hint: string | undefined
}

const BLOCKS_BELOW = 40
const KIND_WIDTH = 'approval'.length
const NAMED_OPTIONS = 3

/** What waits, one thread a row; at a terminal fitted to it, in a pipe for programs. */
export function renderPending(
  threads: readonly WaitingThread[],
  damaged: readonly DamagedFile[],
  view: View & { readonly full?: boolean },
): PendingList {
  const ids = view.isTTY
    ? shortIds([...threads.map(({ id }) => id), ...damaged.map(idOf)])
    : new Map<string, string>()
  const short = (id: string): string => ids.get(id) ?? id
  const lines =
    view.isTTY && view.columns < BLOCKS_BELOW
      ? threads.flatMap((thread) => blockOf(thread, short(thread.id), view))
      : renderTable(
          columnsOf(view),
          threads.map((thread) => rowOf(thread, short(thread.id), view)),
          view,
        )
  const broken = damaged.map((file) => damagedLine(short(idOf(file)), view))
  return { lines: [...lines, ...broken], hint: hintOf(threads, short, view) }
}

/** What a thread waits for, in one cell. */
export function questionOf({ interrupts, answered, status }: WaitingThread): string {
  const [first, ...others] = interrupts
  if (first === undefined) return answered > 0 ? `${answered} answered, not continued yet` : status
  if (others.length === 0) return `${first.kind.padEnd(KIND_WIDTH)}  ${messageOf(first)}`
  const count = `${interrupts.length} open`.padEnd(KIND_WIDTH)
  if (answered > 0) return `${count}  ${answered} of ${interrupts.length + answered} answered`
  return `${count}  ${messageOf(first)} and ${others.length} more`
}

function columnsOf({ paint }: View): Column[] {
  return [
    { title: 'ID', style: paint.cyan },
    { title: 'FLOW', from: 50 },
    { title: 'QUESTION', flexible: true },
    { title: 'WHERE', from: 70, style: paint.dim },
    { title: 'AGE', style: paint.dim },
  ]
}

function rowOf(thread: WaitingThread, id: string, view: View): Row {
  const question = questionOf(thread)
  // Two spaces between kind and text are for the eye; a program gets one.
  const shown = view.isTTY ? question : question.replaceAll(/ {2,}/gu, ' ')
  return [id, thread.flow, shown, whereOf(thread), ageOf(thread, view)]
}

function blockOf(thread: WaitingThread, id: string, view: View): string[] {
  const { paint, columns, symbols } = view
  const rest = [whereOf(thread), ageOf(thread, view)].filter((text) => text !== '')
  return [
    `${paint.cyan(id)}  ${truncate(oneLine(thread.flow), columns - id.length - 2)}`,
    `  ${truncate(oneLine(questionOf(thread)), columns - 2)}`,
    `  ${paint.dim(truncate(rest.join(` ${symbols.dot} `), columns - 2))}`,
  ]
}

function messageOf({ message, choices, secret }: Interrupt): string {
  const text = oneLine(message)
  if (secret === true) return `${text}  (secret input)`
  if (choices === undefined || choices.length === 0) return text
  const names = choices.map(({ name }) => oneLine(name)).join(', ')
  const isFew = choices.length <= NAMED_OPTIONS && names.length <= 40
  return `${text}  (${isFew ? names : `${choices.length.toLocaleString('en')} options`})`
}

/** One question's place, or what several have in common: the node. */
function whereOf({ interrupts }: WaitingThread): string {
  const [first, ...others] = interrupts
  if (first === undefined) return ''
  if (others.length === 0) return placeOf(first)
  const places = new Set(
    interrupts.map(({ address, key }) => placeOf({ address: address.slice(0, 1), key })),
  )
  return places.size === 1 ? [...places].join('') : `${places.size} places`
}

function ageOf({ interrupts, updatedAt, holder }: WaitingThread, view: View): string {
  if (holder !== undefined) return `running (pid ${holder.pid})`
  const oldest = interrupts.map(({ openedAt }) => openedAt).toSorted()[0] ?? updatedAt
  return view.isTTY ? formatRelative(oldest, view.now) : oldest
}

function damagedLine(id: string, { paint, symbols, isTTY }: View): string {
  if (!isTTY) return `${id}\tdamaged`
  return `${paint.cyan(id)}  ${paint.red(`${symbols.warn} damaged`)}  (hexagon doctor)`
}

/** `7f3k9q2m4d` of `threads/7f3k9q2m4d.json`. */
function idOf({ file }: DamagedFile): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return oneLine(name.replace(/\.[a-z]+$/u, ''))
}

function hintOf(
  threads: readonly WaitingThread[],
  short: (id: string) => string,
  { isTTY }: View,
): string | undefined {
  const waiting = threads.filter(
    ({ holder, interrupts }) => holder === undefined && interrupts.length > 0,
  )
  const last = waiting.at(-1)
  if (!isTTY || last === undefined) return undefined
  const count = waiting.length === 1 ? '1 thread waits' : `${waiting.length} threads wait`
  return `${count} for an answer. Answer one: hexagon resume ${short(last.id)}`
}
