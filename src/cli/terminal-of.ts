import type { Settings } from './settings.ts'
import { createTerminal } from './terminal/process-terminal.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { World } from './world.ts'

/** The terminal that a command with these settings meets. */
export async function terminalOf(
  settings: Settings,
  world: Pick<World, 'terminal'>,
): Promise<Terminal> {
  const { noInput, interactive, plain, color, noPager, quiet } = settings
  return world.terminal ?? createTerminal({ noInput, interactive, plain, color, noPager, quiet })
}
