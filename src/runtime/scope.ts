import { appendSegment, segmentKey, type Address, type AddressSegment } from '../core/address.ts'
import type { TaskFrame, TaskScope, Unaskable } from './engine.ts'
import type { Entered } from './resume-info.ts'

/**
 * The running frame at an address. A task's scopes share its frame (memo, questions, abort signal);
 * `path` is the place inside the task, one text per place and visit.
 */
export class Scope implements TaskScope {
  readonly frame: TaskFrame
  readonly address: Address
  readonly path: string
  readonly unaskable: Unaskable | undefined
  /** How many steps this scope runs inside of, within its task. */
  readonly steps: number
  /** What it was handed when it was entered; set by whoever asks first. */
  entered: Entered | undefined
  #ordinals: Map<string, number> | undefined

  constructor(
    frame: TaskFrame,
    address: Address,
    inside: { path?: string; unaskable?: Unaskable | undefined; steps?: number } = {},
  ) {
    this.frame = frame
    this.address = address
    this.path = inside.path ?? ''
    this.unaskable = inside.unaskable
    this.steps = inside.steps ?? 0
  }

  /** 0 for the first call of `name` in this entry of the scope, then 1, 2, … */
  ordinal(name: string): number {
    this.#ordinals ??= new Map()
    const next = this.#ordinals.get(name) ?? 0
    this.#ordinals.set(name, next + 1)
    return next
  }

  /**
   * The place of a repeated thing inside this scope: the same for the same call on every entry. `recorded`
   * visits are gone to first: who keeps its own state does not come by the visits that are over.
   */
  place(key: string, recorded: readonly number[] = []): string {
    const counted = this.ordinal(key)
    const ordinal = recorded.find((visit) => visit >= counted) ?? counted
    if (ordinal !== counted) this.#ordinals?.set(key, ordinal + 1)
    return ordinal === 0 ? this.path + key : `${this.path}${key}~${ordinal}`
  }

  /** The scope one level down. A second visit of the same segment is another place: it starts clean. */
  child(added: AddressSegment): Scope {
    return this.at(this.place(segmentKey(added)), added)
  }

  /** The scope at a place of this task; a step, and what counts as one, adds one to the steps around it. */
  at(path: string, added: AddressSegment, counted = added.type === 'step'): Scope {
    const steps = this.steps + (counted ? 1 : 0)
    return new Scope(this.frame, appendSegment(this.address, added), {
      path,
      steps,
      unaskable: this.unaskable,
    })
  }
}
