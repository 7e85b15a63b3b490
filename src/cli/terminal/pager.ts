import { runOnTerminal } from './child.ts'
import type { Environment } from './environment.ts'

/** The command that shows long text, or undefined when a pager is not wanted. */
export function pagerCommand(env: Environment, noPager = false): string | undefined {
  const command = (env['HEXAGON_PAGER'] ?? env['PAGER'] ?? 'less').trim()
  if (noPager || command === '' || command === 'cat') return undefined
  // Without -R: the text holds no colours, and less then shows what is left of control characters.
  const isBareLess = /^less(\s|$)/u.test(command) && (env['LESS'] ?? '') === ''
  return isBareLess ? command.replace(/less/u, 'less -FIX') : command
}

/** True when the pager showed the text; false when there is none, so that the caller prints it. */
export async function page(text: string, command: string): Promise<boolean> {
  const ended = await runOnTerminal({ command, text })
  return ended.kind !== 'missing'
}
