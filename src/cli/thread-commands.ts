import { execute as history } from './commands/history.ts'
import { execute as pending } from './commands/pending.ts'
import { execute as show } from './commands/show.ts'
import { execute as threads } from './commands/threads.ts'
import { execute as wait } from './commands/wait.ts'
import type { Execute } from './invocation.ts'

/**
 * The commands that only read threads, by name. They lie in one file of the bundle: what each saves by a
 * file of its own is less than opening it costs.
 */
export const threadCommands: Readonly<Record<string, Execute>> = {
  pending,
  show,
  threads,
  wait,
  history,
}
