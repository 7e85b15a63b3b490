import { exitCodeOf, type ExitCode } from './exit-code.ts'
import { errorJson } from './json/error-json.ts'
import { createOutput, type Output } from './output.ts'
import type { Settings } from './settings.ts'
import { showError } from './show-error.ts'
import { terminalOf } from './terminal-of.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { World } from './world.ts'

/** What was there already when something failed. */
export interface FailureContext {
  readonly settings: Settings
  readonly world: World
  readonly command?: string | undefined
  readonly terminal?: Terminal | undefined
  readonly output?: Output
}

/** Shows an error: its document on stdout for programs, its text on stderr. Gives its exit code. */
export async function reportFailure(error: unknown, context: FailureContext): Promise<ExitCode> {
  const { settings, world, command } = context
  const code = exitCodeOf(error)
  const output = context.output ?? createOutput(settings, world.stdout)
  output.document(command, code, { error: errorJson(error) })
  if (settings.output !== 'human' && settings.quiet) return code
  const terminal = context.terminal ?? (await terminalOf(settings, world))
  showError(error, settings, terminal)
  if (settings.annotations) {
    const { annotateError } = await import('./ci/github.ts')
    annotateError(error, terminal)
  }
  return code
}
