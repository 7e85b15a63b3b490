import { formatAddress } from '../core/address.ts'
import { HexagonError } from '../core/errors.ts'
import { runInScope } from '../runtime/carrier.ts'
import { Scope } from '../runtime/scope.ts'
import { isThenable } from '../runtime/thenable.ts'
import { isSend, type Send } from './command.ts'
import type { BranchDefinition } from './definition.ts'
import { readable } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { nodeContext } from './node-context.ts'
import { readTargets } from './node-result.ts'
import { addressOf, type Target, type Task } from './task.ts'

/** Where a finished node leads: its command's jumps, else its edges and branches. */
export function routesOf(
  instance: Instance,
  task: Task,
): readonly Target[] | Promise<readonly Target[]> {
  if (task.jumps !== undefined) return task.jumps
  const { targets, branches } = instance.definition
  const direct = targets.get(task.node) ?? NOWHERE
  const chosen = branches.get(task.node)
  if (chosen === undefined) return direct
  const [only] = chosen
  return only !== undefined && chosen.length === 1 && direct.length === 0
    ? routeBranch(instance, task, only)
    : routeBranches(instance, task, direct)
}

const NOWHERE: readonly Target[] = []

async function routeBranches(
  instance: Instance,
  task: Task,
  direct: readonly Target[],
): Promise<readonly Target[]> {
  const targets = [...direct]
  for (const branch of instance.definition.branches.get(task.node) ?? [])
    targets.push(...(await routeBranch(instance, task, branch)))
  return targets
}

/** Asks one router; gives its targets at once where it awaits nothing. */
function routeBranch(
  instance: Instance,
  task: Task,
  { router, targets: declared }: BranchDefinition,
): Target[] | Promise<Target[]> {
  const state = readable(instance.state.current) as never
  const { frame, gid } = instance.host
  const scope = new Scope(frame, instance.addressOf(task), { unaskable: 'in a router' })
  const ctx = nodeContext({
    frame,
    gid,
    address: scope.address,
    input: instance.input,
    superstep: task.step,
    attempt: 1,
  })
  const read = (routed: unknown): Target[] =>
    readTargets(listOf(routed, task, instance), {
      definition: instance.definition,
      where: `the branch of ${task.node}`,
      declared,
    })
  const routed: unknown = runInScope(scope, () => router(state, ctx))
  return isThenable(routed) ? Promise.resolve(routed).then(read) : read(routed)
}

function listOf(routed: unknown, task: Task, instance: Instance): readonly (string | Send)[] {
  if (typeof routed === 'string' || isSend(routed)) return [routed]
  if (Array.isArray(routed)) return routed as (string | Send)[]
  throw new HexagonError(
    'E2115',
    `the branch of ${formatAddress(addressOf(instance.host.base, task))} returned ${String(routed)}`,
    {
      hint: 'A router returns one of its targets, several, or Sends of them.',
    },
  )
}

/**
 * The tasks that finished tasks lead to, in the order of those: each node once a superstep, each Send its
 * own task, and every join whose wait is over.
 */
export function planNext(
  instance: Instance,
  routed: readonly { readonly task: Task; readonly targets: readonly Target[] }[],
): Task[] {
  const [only] = routed
  const [first] = only?.targets ?? []
  if (only !== undefined && first !== undefined && routed.length + only.targets.length === 2)
    return [instance.plan(first, { step: only.task.step + 1, origin: originOf(only.task, first) })]
  const planned = new Map<string, Task>()
  const next: Task[] = []
  for (const { task, targets } of routed) {
    const step = task.step + 1
    let sent = 0
    for (const target of targets) {
      if (target.send !== undefined) {
        next.push(instance.plan(target, { step, origin: [...task.order, sent] }))
        sent += 1
        continue
      }
      const slot = `${step} ${target.node}`
      if (planned.has(slot)) continue
      const made = instance.plan(target, { step, origin: [] })
      planned.set(slot, made)
      next.push(made)
    }
  }
  return next
}

function originOf({ order }: Task, { send }: Target): readonly number[] {
  return send === undefined ? ALONE : [...order, 0]
}

const ALONE: readonly number[] = []

const NO_TASKS: readonly Task[] = []

/** Joins that what just finished sets free. Called when `routed` are no longer live and their successors are. */
export function fireJoins(
  instance: Instance,
  finished: readonly { readonly task: Task }[],
): readonly Task[] {
  if (instance.joins.none) return NO_TASKS
  const gone = finished.map(({ task }) => task)
  return instance.joins
    .fire([...instance.tasks.values()], gone)
    .map(({ node, step }) => instance.plan({ node }, { step: step + 1, origin: [] }))
}
