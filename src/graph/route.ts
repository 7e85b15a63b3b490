import { formatAddress } from '../core/address.ts'
import { HexagonError } from '../core/errors.ts'
import { runInScope } from '../runtime/carrier.ts'
import { Scope } from '../runtime/scope.ts'
import { isSend, END, type Send } from './command.ts'
import { readable } from './graph-state.ts'
import type { Instance } from './instance.ts'
import { nodeContext } from './node-context.ts'
import { readTargets } from './node-result.ts'
import { addressOf, type Target, type Task } from './task.ts'

/** Where a finished node leads: its command's jumps, else its edges and branches. */
export function routesOf(instance: Instance, task: Task): Target[] | Promise<Target[]> {
  if (task.jumps !== undefined) return [...task.jumps]
  const { edges, branches } = instance.definition
  const direct = (edges.get(task.node) ?? [])
    .filter((to) => to !== END)
    .map((node): Target => ({ node }))
  const chosen = branches.get(task.node)
  return chosen === undefined ? direct : routeBranches(instance, task, direct)
}

async function routeBranches(instance: Instance, task: Task, direct: Target[]): Promise<Target[]> {
  const targets = [...direct]
  for (const { router, targets: declared } of instance.definition.branches.get(task.node) ?? []) {
    const state = readable(instance.state.current) as never
    const { frame, base } = instance.host
    const scope = new Scope(frame, addressOf(base, task), { unaskable: 'in a router' })
    const ctx = nodeContext({
      frame,
      address: scope.address,
      input: instance.input,
      superstep: task.step,
      attempt: 1,
    })
    const routed = await runInScope(scope, () => router(state, ctx))
    targets.push(
      ...readTargets(listOf(routed, task, instance), {
        definition: instance.definition,
        where: `the branch of ${task.node}`,
        declared,
      }),
    )
  }
  return targets
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

/** Joins that what just finished sets free. Called when `routed` are no longer live and their successors are. */
export function fireJoins(instance: Instance, finished: readonly Task[]): Task[] {
  if (instance.joins.none) return []
  return instance.joins
    .fire([...instance.tasks.values()], finished)
    .map(({ node, step }) => instance.plan({ node }, { step: step + 1, origin: [] }))
}
