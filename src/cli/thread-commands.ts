import { execute as cancel } from './commands/cancel.ts'
import { execute as completion } from './commands/completion.ts'
import { execute as remove } from './commands/delete.ts'
import { execute as exportThread } from './commands/export.ts'
import { execute as importThread } from './commands/import.ts'
import { execute as pending } from './commands/pending.ts'
import { execute as show } from './commands/show.ts'
import { execute as threads } from './commands/threads.ts'
import { execute as wait } from './commands/wait.ts'
import type { Execute } from './invocation.ts'

/**
 * The commands that load no flow, by name. They lie in one file of the bundle: what each saves by a file
 * of its own is less than opening it costs.
 */
export const threadCommands: Readonly<Record<string, Execute>> = {
  pending,
  show,
  threads,
  wait,
  cancel,
  delete: remove,
  export: exportThread,
  import: importThread,
  completion,
}
