import { seal } from '../core/seal.ts'
import type { Engine } from '../runtime/engine.ts'
import { Frame } from '../runtime/frame.ts'
import { ROOT } from '../runtime/restored.ts'
import type { Running } from '../runtime/runnable.ts'
import { Scope } from '../runtime/scope.ts'
import type { GraphDefinition } from './definition.ts'
import { GraphRun } from './graph-run.ts'
import { outputOf } from './output.ts'

/** Sets a graph up as the whole of a thread. */
export function startRoot(definition: GraphDefinition, run: Engine, input: unknown): Running {
  const root = new Frame(run, { id: '', address: [] })
  root.plain = true
  const scope = new Scope(root, [], { unaskable: 'in a reducer' })
  const instance = GraphRun.obtain({
    host: { run, frame: root, scope, gid: ROOT, base: [], depth: 0 },
    definition,
    input,
    passOn: [],
  })
  return {
    root,
    body: async () => {
      await instance.execute()
      return seal(await outputOf(instance.instance), 'output')
    },
    state: () => instance.instance.state.current.values,
  }
}
