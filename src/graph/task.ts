import type { Address } from '../core/address.ts'
import { segment } from '../core/address.ts'
import type { Frame } from '../runtime/frame.ts'
import type { Snapshot } from './graph-state.ts'

/** `route`: its writes are applied, only where to go on is open. */
export type Phase = 'run' | 'route'

/** One planned execution of a node. Plain data but for the frame of its current entry. */
export interface Task {
  /** Unique in its graph instance for ever: `node@superstep`, with the key of a fan-out. */
  readonly id: string
  readonly node: string
  readonly step: number
  /** Place among the tasks of its superstep, whatever the order in which they were planned. */
  readonly order: readonly number[]
  /** Key or index in a fan-out. */
  readonly subId?: string | undefined
  /** Own input of a fan-out task; the state otherwise. */
  readonly input?: { readonly value: unknown } | undefined
  phase: Phase
  /** Set when its last entry failed. */
  error?: unknown
  /** What an earlier process said of its failure. */
  failed?: boolean
  /** Breakpoints it has passed or waits at. */
  readonly passed: Set<'before' | 'after'>
  /** Where it goes by command, kept for the routing phase. */
  jumps?: readonly Target[] | undefined
  /** The state it was started with; kept while it waits. */
  view?: Snapshot | undefined
  frame?: Frame | undefined
}

/** Where to go on: a node, or a fan-out task of one. */
export type Target = {
  readonly node: string
  readonly send?: { readonly input: unknown; readonly key?: string | undefined }
}

/** The address of a task's node below `base`. */
export function addressOf(base: Address, task: Pick<Task, 'node' | 'subId'>): Address {
  return [...base, segment('node', task.node, task.subId)]
}

/** The local id of a task, made of percent-encoded names: no space, no slash. */
export function localId(at: {
  node: string
  step: number
  subId?: string | undefined
  visit: number
}): string {
  const sub = at.subId === undefined ? '' : `#${escapeName(at.subId)}`
  const again = at.visit === 0 ? '' : `~${at.visit}`
  return `${escapeName(at.node)}@${at.step}${sub}${again}`
}

const LONE_SURROGATE = /[\ud800-\udfff]/gu

function escapeName(name: string): string {
  return encodeURIComponent(name.replace(LONE_SURROGATE, '\ufffd')).replace(
    /[!~*'()]/gu,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
