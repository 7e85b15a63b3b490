import type { JsonObject } from '../core/json.ts'
import type { ExitCode } from './exit-code.ts'
import type { OptionValues } from './option-values.ts'
import type { Output } from './output.ts'
import type { Settings } from './settings.ts'
import type { Environment } from './terminal/environment.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { DataInput } from './value/given.ts'

/** One call of the command line, parsed, with everything a command may touch. */
export interface Invocation {
  readonly command: string
  readonly args: readonly string[]
  readonly options: OptionValues
  readonly settings: Settings
  readonly env: Environment
  readonly terminal: Terminal
  readonly output: Output
  readonly input: DataInput
}

/** What a command leaves: the exit code, and its fields of the JSON document. */
export interface CommandResult {
  readonly exitCode: ExitCode
  readonly document?: JsonObject
}

/** A command's work. What it throws is shown and turned into an exit code by `main`. */
export type Execute = (invocation: Invocation) => Promise<CommandResult>
