import { answerTo } from './command-line.ts'
import { drained, leaveSoon, tolerateClosedPipes } from './leave.ts'
import { processWorld } from './world.ts'

/** Runs the words after `hexagon`; resolves with the exit code when all output is delivered. */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedPipes()
  const code = await answerTo(argv, processWorld())
  await drained()
  leaveSoon(code)
  return code
}
