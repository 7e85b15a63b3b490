import type { ExitCode } from './exit-code.ts'
import { reportFailure } from './failure.ts'
import type { Invocation } from './invocation.ts'
import { createOutput } from './output.ts'
import type { Parsed } from './parse.ts'
import type { Settings } from './settings.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { World } from './world.ts'

/** Runs one command, shows what it throws, and gives the exit code. */
export async function runCommand(
  { spec, args, options }: Extract<Parsed, { kind: 'command' }>,
  settings: Settings,
  world: World,
): Promise<ExitCode> {
  const output = createOutput(settings, world.stdout)
  const command = spec.name
  let terminal: Terminal | undefined
  try {
    terminal = await world.createTerminal(settings)
    const { execute } = await spec.load()
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
    return await reportFailure(error, { settings, world, command, terminal, output })
  } finally {
    terminal?.close()
  }
}
