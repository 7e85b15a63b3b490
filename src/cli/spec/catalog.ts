import { audit, doctor } from './care.ts'
import type { CommandSpec } from './command-spec.ts'
import { check, completion, flows, graph, init } from './flows.ts'
import { fork, history, tick, update } from './history.ts'
import { prune } from './prune.ts'
import { resume } from './resume.ts'
import { run } from './run.ts'
import { store } from './store.ts'
import {
  cancel,
  exportThread,
  importThread,
  pending,
  remove,
  show,
  threads,
  wait,
} from './threads.ts'

/** Commands under one heading of the overview. */
export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandSpec[]
}

/** Every command, as the overview lists them. */
export const commandGroups: readonly CommandGroup[] = [
  { heading: 'Work', commands: [run, pending, resume, show] },
  {
    heading: 'Threads',
    commands: [threads, wait, tick, cancel, remove, exportThread, importThread],
  },
  { heading: 'Checkpoints', commands: [history, fork, update] },
  { heading: 'Flows', commands: [flows, check, graph, init] },
  { heading: 'Care', commands: [doctor, audit, prune, store] },
  { heading: 'Shell', commands: [completion] },
]

/** Every command. */
export const commands: readonly CommandSpec[] = commandGroups.flatMap((group) => group.commands)
