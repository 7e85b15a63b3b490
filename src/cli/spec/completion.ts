import { exitCode } from '../exit-code.ts'
import type { CommandSpec } from './command-spec.ts'

/** The command that completes these others; it can't look them up itself. */
export function completionOf(others: readonly CommandSpec[]): CommandSpec {
  const completion: CommandSpec = {
    name: 'completion',
    argument: { name: 'shell' },
    summary: 'Print a completion script for bash, zsh, fish or powershell.',
    examples: [['source <(hexagon completion bash)', '']],
    groups: [],
    exits: [
      [exitCode.ok, 'printed'],
      [exitCode.usage, 'unknown shell'],
    ],
    load: async () => {
      const { completionFor } = await import('../commands/completion.ts')
      return { execute: completionFor([...others, completion]) }
    },
  }
  return completion
}
