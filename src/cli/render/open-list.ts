import type { Interrupt } from '../../core/interrupt.ts'
import { oneLine } from '../terminal/safe.ts'
import { padEnd, truncate, widthOf } from '../terminal/width.ts'
import { shortPlaceOf } from './interrupt-name.ts'
import type { View } from './view.ts'

const NARROW = 60
const PLACE_WIDTH = 24
const KIND_WIDTH = 'breakpoint'.length

/** The head of several questions and one line for each. */
export function renderOpenList(
  open: readonly Interrupt[],
  where: { readonly flow: string; readonly thread: string },
  view: View,
): string[] {
  const { paint, symbols, columns, plain } = view
  const title = `${open.length} questions are open`
  if (plain) {
    const head = `[hexagon] ${title}: ${oneLine(where.flow)}, thread ${where.thread}`
    return [head, ...openLines(open, view)]
  }
  const left = `${paint.cyan(symbols.ask)} ${paint.bold(title)}`
  const meta = `${oneLine(where.flow)} ${symbols.dot} ${where.thread}`
  const gap = columns - widthOf(left) - widthOf(meta)
  const head = gap < 2 ? [left, `  ${paint.dim(meta)}`] : [left + ' '.repeat(gap) + paint.dim(meta)]
  return ['', ...head, ...openLines(open, view), '']
}

/** One line for each question: its place in the list, kind, node and message. */
export function openLines(open: readonly Interrupt[], view: View): string[] {
  const { paint, columns, plain } = view
  const digits = String(open.length).length
  const places = open.map(shortPlaceOf)
  const placeWidth = columns < NARROW ? 0 : Math.min(PLACE_WIDTH, Math.max(...places.map(widthOf)))
  const kindWidth = Math.min(KIND_WIDTH, Math.max(...open.map(({ kind }) => kind.length)))
  return open.map((interrupt, index) => {
    const number = String(index + 1).padStart(digits)
    const message = oneLine(interrupt.message)
    const kind = interrupt.kind.padEnd(kindWidth)
    if (plain) return `${number}. ${interrupt.kind}, ${places[index]}: ${message}`
    const place =
      placeWidth === 0 ? '' : `${padEnd(truncate(places[index] ?? '', placeWidth), placeWidth)}  `
    const room = columns - digits - kindWidth - widthOf(place) - 6
    return `  ${paint.cyan(number)}  ${kind}  ${paint.dim(place)}${truncate(message, Math.max(8, room))}`
  })
}
