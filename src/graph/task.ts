import type { Address } from '../core/address.ts'
import { segment } from '../core/address.ts'
import { encodeName } from '../core/encoded-name.ts'
import type { Frame } from '../runtime/frame.ts'
import type { Snapshot } from './graph-state.ts'

/** `route`: its writes are applied, only where to go on is open. */
export type Phase = 'run' | 'route'

/** Where a task may stop without being asked by its code. */
export type Stop = 'before' | 'after'

/** One planned execution of a node. Plain data but for the frame of its current entry. */
export interface Task {
  /** Unique in its graph instance for ever: `node@superstep`, with the key of a fan-out. */
  readonly id: string
  readonly node: string
  readonly step: number
  /** Place among the tasks of its superstep, whatever the order in which they were planned. */
  readonly order: readonly number[]
  /** Key or index in a fan-out. */
  readonly subId: string | undefined
  /** Own input of a fan-out task; the state otherwise. */
  readonly input: { readonly value: unknown } | undefined
  phase: Phase
  /** Set when its last entry failed. */
  error: unknown
  /** What an earlier process said of its failure. */
  failed: boolean
  /** Breakpoints it has passed or waits at. */
  passed: readonly Stop[]
  /** Where it goes by command, kept for the routing phase. */
  jumps: readonly Target[] | undefined
  /** The state it was started with; kept while it waits. */
  view: Snapshot | undefined
  frame: Frame | undefined
}

/** Where to go on: a node, or a fan-out task of one. */
export type Target = {
  readonly node: string
  readonly send?: { readonly input: unknown; readonly key?: string | undefined }
}

/** A task that nobody has entered yet; `given` is what is known of it beyond its place. */
export function newTask(
  at: Pick<Task, 'id' | 'node' | 'step' | 'order'>,
  given: Partial<Task> = NOTHING,
): Task {
  // All fields, always in this order: the engine's tasks are objects of one shape.
  return {
    id: at.id,
    node: at.node,
    step: at.step,
    order: at.order,
    subId: given.subId,
    input: given.input,
    phase: given.phase ?? 'run',
    error: given.error,
    failed: given.failed ?? false,
    passed: given.passed ?? NONE,
    jumps: given.jumps,
    view: given.view,
    frame: undefined,
  }
}

/** A task that runs with the state, and of which nothing is known yet: most of them. Of the same shape as any. */
export function plainTask(
  id: string,
  node: string,
  { step, order }: Pick<Task, 'step' | 'order'>,
): Task {
  return {
    id,
    node,
    step,
    order,
    subId: undefined,
    input: undefined,
    phase: 'run',
    error: undefined,
    failed: false,
    passed: NONE,
    jumps: undefined,
    view: undefined,
    frame: undefined,
  }
}

const NOTHING: Partial<Task> = {}
const NONE: readonly Stop[] = []

/** The address of a task's node below `base`. */
export function addressOf(base: Address, task: Pick<Task, 'node' | 'subId'>): Address {
  return [...base, segment('node', task.node, task.subId)]
}

/** The local id of a task: `tag` names its node (see {@link encodeName}). No space, no slash. */
export function localId(
  tag: string,
  at: { readonly step: number; readonly subId: string | undefined; readonly visit: number },
): string {
  const id = `${tag}@${at.step}`
  if (at.subId === undefined && at.visit === 0) return id
  const sub = at.subId === undefined ? '' : `#${encodeName(at.subId)}`
  return id + sub + (at.visit === 0 ? '' : `~${at.visit}`)
}
