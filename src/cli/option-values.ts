/** Option values by their name in camel case, as the parser read them. */
export class OptionValues {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** True when the option was given at all. */
  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  /** The text of an option, when it was given. */
  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** Every text of a repeatable option. */
  list(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  }

  /** A whole number or a duration in milliseconds. */
  number(name: string): number | undefined {
    const value = this.#values[name]
    return typeof value === 'number' ? value : undefined
  }

  /** True when the flag was given. */
  flag(name: string): boolean {
    return this.#values[name] === true
  }

  /** True when the `--no-…` form was given: `off('run')` for `--no-run`. */
  off(name: string): boolean {
    return this.#values[name] === false
  }
}
