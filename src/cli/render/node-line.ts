import { padEnd, truncate, widthOf } from '../terminal/width.ts'
import type { View } from './view.ts'

/** One node's line. */
export interface NodeLine {
  readonly name: string
  /** Lines of one group are counted together. */
  readonly group: string
  readonly sign: 'ok' | 'fail' | 'ask' | 'retry' | 'clock' | 'dot'
  readonly text: string
  /** Written however many of its group there were. */
  readonly always?: boolean
}

const WIDEST_NAME = 30
const NARROWEST_NAME = 12
const GROUP_LINES = 20

// Lines of nodes, aligned, and not too many of the same.
//
// Invariants:
//   1. Of one group at most 20 lines are written, and then how many more there were.

/** Makes the lines of nodes. */
export class NodeLines {
  readonly #view: View
  #width: number
  #group = ''
  #count = 0

  constructor(view: View, names: readonly string[]) {
    this.#view = view
    const widest = Math.max(NARROWEST_NAME, ...names.map(widthOf))
    this.#width = Math.min(WIDEST_NAME, widest)
  }

  /** The line, and before it what was only counted of another group. */
  line(line: NodeLine): string[] {
    if (line.always === true) return [this.#draw(line)]
    const before = line.group === this.#group ? [] : this.flush()
    this.#group = line.group
    this.#count += 1
    return this.#count > GROUP_LINES ? before : [...before, this.#draw(line)]
  }

  /** What was only counted so far. */
  flush(): string[] {
    const more = this.#count - GROUP_LINES
    this.#count = 0
    this.#group = ''
    if (more <= 0) return []
    const { paint, symbols } = this.#view
    return [`  ${paint.dim(`${symbols.more} and ${more.toLocaleString('en')} more`)}`]
  }

  #draw({ name, sign, text }: NodeLine): string {
    const { symbols, columns, plain } = this.#view
    this.#width = Math.min(WIDEST_NAME, Math.max(this.#width, widthOf(name)))
    const label = padEnd(truncate(name, this.#width), this.#width)
    if (plain) return `  ${symbols[sign]} ${name}: ${text}`
    const room = Math.max(10, columns - this.#width - widthOf(symbols[sign]) - 5)
    return `  ${this.#color(sign)(symbols[sign])} ${label} ${this.#tone(sign)(truncate(text, room))}`
  }

  #color(sign: NodeLine['sign']): (text: string) => string {
    const { paint } = this.#view
    switch (sign) {
      case 'ok':
        return paint.green
      case 'fail':
        return paint.red
      case 'ask':
        return paint.cyan
      case 'retry':
      case 'clock':
        return paint.yellow
      case 'dot':
        return paint.dim
      default:
        return sign satisfies never
    }
  }

  /** Times are quiet; what went wrong or waits is not. */
  #tone(sign: NodeLine['sign']): (text: string) => string {
    return sign === 'ok' || sign === 'dot' ? this.#view.paint.dim : (text) => text
  }
}
