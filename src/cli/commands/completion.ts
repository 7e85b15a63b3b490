import { HexagonError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { exitCode } from '../exit-code.ts'
import { completionScript, shells } from '../help/completion-script.ts'
import { completionWords } from '../help/completion-words.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { commands } from '../spec/catalog.ts'

/** Prints a completion script. */
export async function execute({ args, terminal, output }: Invocation): Promise<CommandResult> {
  const [shell = ''] = args
  const script = completionScript(shell, completionWords(commands))
  if (script === undefined) throw unknownShell(shell)
  if (output.format === 'human') terminal.stdout(script)
  return { exitCode: exitCode.ok, document: { shell, script } }
}

function unknownShell(shell: string): HexagonError {
  const near = nearest(shell, shells)
  const what = shell === '' ? 'Which shell?' : `Unknown shell "${shell}"`
  return new HexagonError('E1010', `${what} One of: ${shells.join(', ')}`, {
    hint: near === undefined ? 'hexagon completion bash' : `Did you mean "${near}"?`,
    details: { shell, known: shells },
  })
}
