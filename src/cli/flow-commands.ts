import { execute as audit } from './commands/audit.ts'
import { execute as cancel } from './commands/cancel.ts'
import { execute as check } from './commands/check.ts'
import { execute as completion } from './commands/completion.ts'
import { execute as remove } from './commands/delete.ts'
import { execute as doctor } from './commands/doctor.ts'
import { execute as exportThread } from './commands/export.ts'
import { execute as flows } from './commands/flows.ts'
import { execute as fork } from './commands/fork.ts'
import { execute as graph } from './commands/graph.ts'
import { execute as importThread } from './commands/import.ts'
import { execute as init } from './commands/init.ts'
import { execute as prune } from './commands/prune.ts'
import { execute as resume } from './commands/resume.ts'
import { execute as run } from './commands/run.ts'
import { execute as store } from './commands/store.ts'
import { execute as tick } from './commands/tick.ts'
import { execute as update } from './commands/update.ts'
import type { Execute } from './invocation.ts'

/** All other commands, by name: most of them need the engine, and those that load flows the loader. */
export const flowCommands: Readonly<Record<string, Execute>> = {
  run,
  resume,
  update,
  fork,
  tick,
  cancel,
  delete: remove,
  export: exportThread,
  import: importThread,
  flows,
  check,
  graph,
  init,
  completion,
  prune,
  store,
  audit,
  doctor,
}
