import { HexagonError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { exitCode } from '../exit-code.ts'
import { completionScript, shells } from '../help/completion-script.ts'
import { completionWords } from '../help/completion-words.ts'
import type { Execute } from '../invocation.ts'
import type { CommandSpec } from '../spec/command-spec.ts'

/** Prints a completion script for these commands. */
export function completionFor(commands: readonly CommandSpec[]): Execute {
  return async ({ args, terminal, output }) => {
    const [shell = ''] = args
    const script = completionScript(shell, completionWords(commands))
    if (script === undefined) throw unknownShell(shell)
    if (output.format === 'human') terminal.stdout(script)
    return { exitCode: exitCode.ok, document: { shell, script } }
  }
}

function unknownShell(shell: string): HexagonError {
  const near = nearest(shell, shells)
  const what = shell === '' ? 'Which shell?' : `Unknown shell "${shell}"`
  return new HexagonError('E1010', `${what} One of: ${shells.join(', ')}`, {
    hint: near === undefined ? 'hexagon completion bash' : `Did you mean "${near}"?`,
    details: { shell, known: shells },
  })
}
