import type { ExitCode } from './exit-code.ts'
import type { Execute, Invocation } from './invocation.ts'
import type { OptionValues } from './option-values.ts'
import { createOutput } from './output.ts'
import type { Settings } from './settings.ts'
import { terminalOf } from './terminal-of.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { World } from './world.ts'

/** A command line that was read. */
export interface Call {
  readonly command: string
  readonly args: readonly string[]
  readonly options: OptionValues
  load(): Promise<Execute>
}

/** Runs one command, shows what it throws, and gives the exit code. */
export async function runCommand(call: Call, settings: Settings, world: World): Promise<ExitCode> {
  const output = createOutput(settings, world.stdout)
  const { command, args, options } = call
  let terminal: Terminal | undefined
  try {
    terminal = await terminalOf(settings, world)
    const execute = await call.load()
    const { env, input } = world
    const invocation: Invocation = {
      command,
      args,
      options,
      settings,
      env,
      terminal,
      output,
      input,
    }
    const { exitCode, document = {} } = await execute(invocation)
    output.document(command, exitCode, document)
    return exitCode
  } catch (error) {
    const { reportFailure } = await import('./failure.ts')
    return await reportFailure(error, { settings, world, command, terminal, output })
  } finally {
    terminal?.close()
  }
}
