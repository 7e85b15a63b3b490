import { formatAddress, type Address } from '../core/address.ts'
import { UnknownNameError } from '../core/errors.ts'
import { ROOT } from '../runtime/restored.ts'
import { foldAside, passAside, type AsideTarget } from './aside.ts'
import { GraphState } from './graph-state.ts'
import { Instance } from './instance.ts'
import { readTargets } from './node-result.ts'
import { Records } from './records.ts'
import { sharedFolds } from './subgraph.ts'
import { takeOver } from './take-over.ts'
import type { Task } from './task.ts'

/** The graph that a caller's command changes. */
export interface CommandTarget extends AsideTarget {
  /** Takes a task out that nobody goes on with. */
  readonly remove: (task: Task) => void
}

/** Folds in the caller's update, and plans the tasks its goto names instead of those that wait. */
export function applyCommand(target: CommandTarget): Task[] {
  const { run, host } = target.instance
  const { update, goto, within = [] } = run.options
  if (host.gid !== ROOT || (update === undefined && goto === undefined)) return []
  const inner = within.reduce<CommandTarget>((around, _, depth) => {
    return innerOf(around, within, depth)
  }, target)
  const planned = change(inner)
  // What was planned inside comes with the task around it.
  return inner === target ? planned : []
}

function change({ instance, records, passOn, remove }: CommandTarget): Task[] {
  const { update, goto } = instance.run.options
  if (update !== undefined) {
    passAside({ instance, records, passOn }, foldAside(instance, 'update', update))
    records.takeIn()
  }
  const planned = goto === undefined ? [] : jumpTo(goto, { instance, records, passOn, remove })
  // Whoever looks at the thread sees what the command made of it, also when nothing runs after it.
  records.beforeCommit(true)
  return planned
}

/** The subgraph that a waiting task of `around` is, taken over from the store and run by nobody. */
function innerOf(
  { instance: around }: CommandTarget,
  within: Address,
  depth: number,
): CommandTarget {
  const { host, definition: outer, run } = around
  const at = within[depth]
  const task = [...around.tasks.values()].findLast(
    ({ node, subId }) => node === at?.id && subId === at.subId,
  )
  const body = outer.nodes.get(at?.id ?? '')?.body
  if (task === undefined || body?.kind !== 'subgraph') throw unknownGraph(within)
  const definition = body.graph.definition()
  const state = new GraphState(definition.channels, {})
  const base = around.addressOf(task)
  const instance = new Instance(
    { run, frame: host.frame, scope: host.scope, gid: around.fullId(task), base, depth: 0 },
    definition,
    { input: undefined, state },
  )
  const records = new Records(instance)
  if (!takeOver(instance, records)) throw unknownGraph(within)
  return {
    instance,
    records,
    passOn: sharedFolds(body, outer),
    remove: removing(instance, records),
  }
}

function removing(instance: Instance, records: Records): CommandTarget['remove'] {
  return (task) => {
    instance.tasks.delete(task.id)
    instance.run.questions.cancelIn(instance.fullId(task))
    records.drop(task)
  }
}

function unknownGraph(within: Address): UnknownNameError {
  const name = formatAddress(within, '/')
  return new UnknownNameError({ kind: 'subgraph', name, where: 'the thread', known: [] })
}

function jumpTo(goto: readonly string[], { instance, records, remove }: CommandTarget): Task[] {
  const { run, definition, steps } = instance
  const targets = readTargets(goto, { definition, where: 'goto' })
  for (const task of instance.tasks.values()) {
    if (!run.questions.targets.has(instance.fullId(task))) remove(task)
  }
  return targets.map((target) => {
    instance.joins.use(target.node, steps + 1)
    const task = instance.plan(target, { step: steps + 1, origin: [] })
    records.task(task)
    return task
  })
}
