import { PassThrough } from 'node:stream'

/**
 * What one prompt reads: the terminal's keys, handed on for as long as the prompt stands. Prompts and
 * their readlines listen here, never to the terminal itself, so that they leave nothing behind on
 * it, and a terminal that was closed ends the keys instead of crashing whoever listens.
 */
export class Keyboard extends PassThrough {
  readonly isTTY = true
  readonly #terminal: NodeJS.ReadStream
  readonly #take = (keys: Buffer): void => void this.write(keys)
  readonly #finish = (): void => void this.end()

  constructor(terminal: NodeJS.ReadStream) {
    super()
    this.#terminal = terminal
    terminal.on('data', this.#take).on('end', this.#finish).on('error', this.#finish)
    terminal.resume()
  }

  setRawMode(raw: boolean): this {
    // On a closed terminal this is an `error` event of the terminal, which ends the keys.
    this.#terminal.setRawMode(raw)
    return this
  }

  /** Lets the terminal go. */
  close(): void {
    const terminal = this.#terminal
    terminal.off('data', this.#take).off('end', this.#finish).off('error', this.#finish)
    terminal.pause()
    this.destroy()
  }
}
