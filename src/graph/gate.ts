/** Lets so many through at once; the others wait in line. */
export class Gate {
  readonly #limit: number
  readonly #line: (() => void)[] = []
  #inside = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  enter(): Promise<void> | undefined {
    if (this.#inside < this.#limit) {
      this.#inside += 1
      return undefined
    }
    return new Promise((resolve) => this.#line.push(resolve))
  }

  leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#inside -= 1
    else next()
  }
}
