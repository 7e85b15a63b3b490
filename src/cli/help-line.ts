import { exitCode, type ExitCode } from './exit-code.ts'
import { helpText } from './help/help.ts'
import { parseCommandLine, type Parsed } from './parse.ts'
import { hexagonVersion } from './version.ts'
import type { World } from './world.ts'

// Help without anything that commands need. Whatever turns out to be more goes the long way.

/** Prints the help that the words ask for, and gives the exit code. */
export async function answerTo(argv: readonly string[], world: World): Promise<ExitCode> {
  const parsed = tryParse(argv)
  if (parsed?.kind !== 'help' || world.stdout.isTTY) return answerAtLength(argv, world)
  try {
    world.stdout.write(helpText(parsed.topic, hexagonVersion()))
    return exitCode.ok
  } catch {
    return answerAtLength(argv, world)
  }
}

/** The whole command line explains its errors and has a pager. */
async function answerAtLength(argv: readonly string[], world: World): Promise<ExitCode> {
  const { answerTo: answer } = await import('./command-line.ts')
  return answer(argv, world)
}

function tryParse(argv: readonly string[]): Parsed | undefined {
  try {
    return parseCommandLine(argv)
  } catch {
    return undefined
  }
}
