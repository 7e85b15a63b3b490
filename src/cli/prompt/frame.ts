import { Writable } from 'node:stream'

import { drawnColumns } from '../terminal/console.ts'

const ESC = '\u001b'
/** What a redraw begins with: down over the lines below the cursor, then the old lines erased. */
// oxlint-disable-next-line no-control-regex -- cursor sequences are what it is about
const ERASING = /^(?:\u001b\[\d*B)?(?:\u001b\[2K(?:\u001b\[\d*A)?(?:\u001b\[\d*G)?)*/u
// oxlint-disable-next-line no-control-regex -- cursor sequences are what it is about
const CURSOR_ONLY = /^\u001b\[\d*G$/u

/**
 * What a prompt draws on: passes everything to the screen, at most 100 columns wide, and
 * remembers the last picture so that it can be drawn again after the shell had the terminal.
 */
export class Frame extends Writable {
  readonly isTTY = true
  readonly #screen: NodeJS.WriteStream
  #picture = ''
  #cursor = ''

  constructor(screen: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#screen = screen
  }

  get columns(): number {
    return drawnColumns(this.#screen)
  }

  get rows(): number {
    return this.#screen.rows || 24
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    const text = chunk.toString()
    if (CURSOR_ONLY.test(text)) {
      this.#cursor = text
    } else {
      this.#picture = text.replace(ERASING, '')
      this.#cursor = ''
    }
    this.#screen.write(text)
    done()
  }

  /** Draws `above` and the last picture below whatever is on the screen now. */
  redraw(above: readonly string[]): void {
    const lines = above.map((line) => `${line}\n`).join('')
    this.#screen.write(`${ESC}[G${lines}${this.#picture}${this.#cursor}`)
  }
}
