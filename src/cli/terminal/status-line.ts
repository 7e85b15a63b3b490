import { truncate } from './width.ts'

/** Where the line is drawn. */
export interface StatusTarget {
  write(text: string): void
  columns(): number
  readonly frames: readonly string[]
  /** False while something else has the screen. */
  free(): boolean
}

const DELAY_MS = 150
const FRAME_MS = 100
const ERASE = '\r\u001b[2K'

// The one line that moves. It is drawn last, below everything that stays.
//
// Invariants:
//   1. Nothing is drawn before the delay has passed: quick work shows no spinner.
//   2. `hide` leaves the cursor at the start of an empty line.
//   3. Its timers never keep the process alive.

/** A spinner with a text; what else is written is written above it. */
export class StatusLine {
  readonly #target: StatusTarget
  #text: string | undefined
  #timer: NodeJS.Timeout | undefined
  #frame = 0
  #drawn = false

  constructor(target: StatusTarget) {
    this.#target = target
  }

  /** Shows `text` from now on; undefined ends it. */
  set(text: string | undefined): void {
    this.#text = text
    if (text === undefined) {
      this.#stop()
    } else {
      this.#timer ??= setInterval(() => this.draw(), FRAME_MS).unref()
      if (this.#drawn) this.draw()
      else this.#wait()
    }
  }

  /** Takes the line away for a moment, so that something else can be written. */
  hide(): void {
    if (!this.#drawn) return
    this.#target.write(ERASE)
    this.#drawn = false
  }

  /** Draws the line again, if there is one and its time has come. */
  draw(): void {
    const { frames } = this.#target
    if (this.#text === undefined || Date.now() < this.#from || !this.#target.free()) return
    const frame = frames[this.#frame % frames.length] ?? ''
    this.#frame += 1
    this.#target.write(ERASE + truncate(`${frame} ${this.#text}`, this.#target.columns() - 1))
    this.#drawn = true
  }

  #from = 0

  #wait(): void {
    if (this.#from === 0) this.#from = Date.now() + DELAY_MS
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.hide()
    this.#from = 0
  }
}
