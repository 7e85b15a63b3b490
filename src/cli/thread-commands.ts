import { execute as history } from './commands/history.ts'
import { execute as show } from './commands/show.ts'
import { execute as threads } from './commands/threads.ts'
import { execute as wait } from './commands/wait.ts'
import type { Execute } from './invocation.ts'

/** The commands that look at threads one by one, by name. */
export const threadCommands: Readonly<Record<string, Execute>> = {
  show,
  threads,
  wait,
  history,
}
