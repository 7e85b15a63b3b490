import type { ExitCode } from '../exit-code.ts'

/** How the text after an option is read. `flag` takes none, `list` may be given several times. */
export type OptionKind =
  | 'flag'
  | 'count'
  | 'text'
  | 'list'
  | 'duration'
  | 'integer'
  | { readonly oneOf: readonly string[] }

/** One option: its flags as commander writes them, and what it does. */
export interface OptionSpec {
  readonly flags: string
  readonly kind: OptionKind
  readonly text: string
}

/** Options under one heading of the help. */
export interface OptionGroup {
  readonly heading: string
  readonly options: readonly OptionSpec[]
}

/** One argument besides the options. */
export interface ArgumentSpec {
  readonly name: string
  readonly many?: boolean
}

/** A command as parser and help know it. */
export interface CommandSpec {
  readonly name: string
  readonly alias?: string
  readonly argument?: ArgumentSpec
  /** One sentence. */
  readonly summary: string
  /** Command line and what it is for. */
  readonly examples: readonly (readonly [line: string, note: string])[]
  readonly groups: readonly OptionGroup[]
  readonly exits: readonly (readonly [ExitCode, string])[]
}
