import { exitCode, type ExitCode } from './exit-code.ts'
import type { CommandResult, Execute, Invocation } from './invocation.ts'
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
  let done: CommandResult | undefined
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
    done = await execute(invocation)
    output.document(command, done.exitCode, done.document ?? {})
    return done.exitCode
  } catch (error) {
    const { reportFailure } = await import('./failure.ts')
    const code = await reportFailure(error, { settings, world, command, terminal, output })
    // What a result lacks does not change how the command came out, unless that was well.
    return done === undefined || done.exitCode === exitCode.ok ? code : done.exitCode
  } finally {
    terminal?.close()
  }
}
