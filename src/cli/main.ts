import { drained, leaveSoon, tolerateClosedPipes } from './leave.ts'
import { closeStores } from './opened-stores.ts'
import { processWorld } from './world.ts'

/** Runs the words after `hexagon`; resolves with the exit code when all output is delivered. */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedPipes()
  const code = await answer(argv)
  await Promise.all([drained(), closeStores()])
  leaveSoon(code)
  return code
}

/** Help needs little of what commands need, and most commands need all of that. */
async function answer(argv: readonly string[]): Promise<number> {
  const isHelp = argv.some((word) => word === '--help' || word === '-h') || argv[0] === 'help'
  const { answerTo } = isHelp ? await import('./help-line.ts') : await import('./command-line.ts')
  return answerTo(argv, processWorld())
}
