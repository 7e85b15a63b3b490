/** Where a text stops being JSON, and what was expected there. Lines and columns count from 1. */
export interface JsonFault {
  readonly line: number
  readonly column: number
  readonly problem: string
}

/** Finds the first place where `text` is not JSON; undefined when all of it is. */
export function findJsonFault(text: string): JsonFault | undefined {
  const scanner = new Scanner(text)
  const problem = scanner.document()
  if (problem === undefined) return undefined
  const before = text.slice(0, scanner.at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem }
}

const SPACE = /[ \t\n\r]*/y
// oxlint-disable-next-line no-control-regex -- JSON forbids exactly these in a text
const CHARACTERS = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y

// The engine's own messages name a position only sometimes, and never a line; this scanner always does.
// It keeps its open brackets in a list, so depth costs no stack.
class Scanner {
  at = 0
  readonly #text: string
  readonly #open: ('[' | '{')[] = []

  constructor(text: string) {
    this.#text = text
  }

  document(): string | undefined {
    let problem = this.#value()
    while (problem === undefined && this.#open.length > 0) problem = this.#afterValue()
    if (problem !== undefined) return problem
    this.#eat(SPACE)
    return this.at < this.#text.length ? 'Expected the end of the text' : undefined
  }

  /** A scalar, or the opening of a container with the start of its first element. */
  #value(): string | undefined {
    for (;;) {
      this.#eat(SPACE)
      const first = this.#text[this.at]
      if (first !== '[' && first !== '{') return this.#scalar()
      this.at += 1
      this.#eat(SPACE)
      if (this.#text[this.at] === (first === '[' ? ']' : '}')) {
        this.at += 1
        return undefined
      }
      this.#open.push(first)
      const problem = first === '{' ? this.#key() : undefined
      if (problem !== undefined) return problem
    }
  }

  #afterValue(): string | undefined {
    this.#eat(SPACE)
    const open = this.#open.at(-1)
    const close = open === '[' ? ']' : '}'
    const next = this.#text[this.at]
    if (next === close) {
      this.at += 1
      this.#open.pop()
      return undefined
    }
    if (next !== ',') return `Expected ',' or '${close}'`
    this.at += 1
    const problem = open === '{' ? this.#key() : undefined
    return problem ?? this.#value()
  }

  #key(): string | undefined {
    this.#eat(SPACE)
    if (this.#text[this.at] !== '"') return 'Expected a name in double quotes'
    const problem = this.#string()
    if (problem !== undefined) return problem
    this.#eat(SPACE)
    if (this.#text[this.at] !== ':') return "Expected ':'"
    this.at += 1
    return undefined
  }

  #scalar(): string | undefined {
    if (this.#text[this.at] === '"') return this.#string()
    if (this.#eat(NUMBER) || this.#eat(WORD)) return undefined
    return this.at < this.#text.length ? 'Expected a value' : 'Expected a value, not the end'
  }

  /** One pattern for the whole would keep a stack entry per character. */
  #string(): string | undefined {
    this.at += 1
    do this.#eat(CHARACTERS)
    while (this.#eat(ESCAPE))
    if (this.#text[this.at] !== '"') return "Expected '\"' to close the text"
    this.at += 1
    return undefined
  }

  #eat(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.#text)) return false
    this.at = pattern.lastIndex
    return true
  }
}
