import { execute as check } from './commands/check.ts'
import { execute as flows } from './commands/flows.ts'
import { execute as graph } from './commands/graph.ts'
import { execute as init } from './commands/init.ts'
import { execute as resume } from './commands/resume.ts'
import { execute as run } from './commands/run.ts'
import type { Execute } from './invocation.ts'

/** The commands that load flows, by name: they share the loader and the engine, which no other needs. */
export const flowCommands: Readonly<Record<string, Execute>> = {
  run,
  resume,
  flows,
  check,
  graph,
  init,
}
