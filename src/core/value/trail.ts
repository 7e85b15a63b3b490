// The way from a value's root to the part a walk stands at. Keeps the parts it came through, so that
// a cycle is seen without a set of everything visited, and writes the path only when it is asked for.

/** Levels a value may be nested. JSON.stringify itself gives up between 3,000 and 5,000. */
const MAX_DEPTH = 1_000

/** Makes the error for a value that can't be taken; `path` says which. */
export type Refusal = (path: string, problem: string, cause?: unknown) => Error

export class Trail {
  readonly #root: string
  readonly #refusal: Refusal
  readonly #parts: object[] = []
  readonly #steps: (string | number)[] = []
  #depth = 0

  constructor(root: string, refusal: Refusal) {
    this.#root = root
    this.#refusal = refusal
  }

  /** Goes into `part`; `at` says which of its children comes next. */
  enter(part: object): void {
    if (this.#depth === MAX_DEPTH) this.#refuseDepth()
    this.#parts[this.#depth] = part
    this.#steps[this.#depth] = ''
    this.#depth += 1
  }

  at(step: string | number): void {
    this.#steps[this.#depth - 1] = step
  }

  leave(): void {
    this.#depth -= 1
  }

  refuse(problem: string, cause?: unknown): never {
    throw this.#refusal(this.path, problem, cause)
  }

  get path(): string {
    return this.#pathTo(this.#depth)
  }

  #refuseDepth(): never {
    const seen = new Map<object, number>()
    for (const [depth, part] of this.#parts.entries()) {
      const first = seen.get(part)
      if (first !== undefined) {
        throw this.#refusal(this.#pathTo(depth), `a cycle back to ${this.#pathTo(first)}`)
      }
      seen.set(part, depth)
    }
    throw this.#refusal(`${this.#pathTo(8)}…`, 'nested more than 1,000 levels deep')
  }

  #pathTo(depth: number): string {
    let path = this.#root
    for (let index = 0; index < depth; index += 1) {
      const pair = this.#parts[index] instanceof Map ? this.#pairUnder(index, depth) : undefined
      if (pair === undefined) {
        path += this.#stepText(index)
      } else {
        path += pair
        index += 2
      }
    }
    return this.#root === '' ? path.replace(/^\./, '') : path
  }

  /** A map is walked as a list of pairs; its path reads as calls on the map. */
  #pairUnder(index: number, depth: number): string | undefined {
    const pair = this.#parts[index + 2]
    if (index + 2 >= depth || !Array.isArray(pair)) return undefined
    const position = String(this.#steps[index + 1])
    if (this.#steps[index + 2] === 0) return `.keys()[${position}]`
    const key: unknown = pair[0]
    if (typeof key === 'string') return `.get(${JSON.stringify(key)})`
    return typeof key === 'number' ? `.get(${key})` : `.values()[${position}]`
  }

  #stepText(index: number): string {
    const step = this.#steps[index]
    const isErrorBag = step === 'props' && this.#parts[index - 1] instanceof Error
    return step === '' || step === undefined || isErrorBag ? '' : formatStep(step)
  }
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** `.name` for an identifier, `["odd key"]` for any other key, `[2]` for a position. */
export function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return IDENTIFIER.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}
