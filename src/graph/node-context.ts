import type { Address } from '../core/address.ts'
import type { Choice } from '../core/interrupt.ts'
import type { Infer, Schema } from '../core/schema.ts'
import { currentScope } from '../runtime/carrier.ts'
import type { TaskFrame, TaskScope } from '../runtime/engine.ts'
import {
  askingIn,
  type Approval,
  type ApprovalOptions,
  type Asking,
  type InputOptions,
  type InterruptOptions,
} from '../runtime/interrupt.ts'
import { Scope } from '../runtime/scope.ts'
import { stepIn, type StepInfo, type StepOptions } from '../runtime/step.ts'
import { lookUp } from './lookup.ts'

/** What a node learns of its run, and its explicit way to ask and to remember. */
export interface NodeContext extends Asking {
  readonly threadId: string
  readonly address: Address
  /** The run's validated input. */
  readonly input: unknown
  /** Which try of the node this is, from 1. */
  readonly attempt: number
  /** Fires when the run stops at once, or the task's time is up. */
  readonly signal: AbortSignal
  /** The superstep in which this task was planned. */
  readonly superstep: number
  /** {@link step} with this task's scope. */
  step<T>(
    name: string,
    body: (info: StepInfo) => T | Promise<T>,
    options?: StepOptions<NoInfer<T>>,
  ): Promise<T>
  /**
   * The value of a state key in the nearest graph that declares it: this one, else the graphs around it, as the
   * tasks that run this one read them. @throws UnknownNameError when none declares it
   */
  lookup<T = unknown>(key: string): T
  /** Tells the run's readers something, as an event of type `custom`. */
  emit(value: unknown): void
}

/** What varies between the contexts of one graph instance. */
export interface ContextParts {
  readonly frame: TaskFrame
  /** Where it says it is; the frame's place otherwise. */
  readonly address?: Address
  /** The graph that its code belongs to, when it is not the frame's task. */
  readonly gid?: string
  readonly input: unknown
  readonly superstep: number
  readonly attempt: number
}

class TaskContext implements NodeContext {
  readonly #parts: ContextParts
  #scope: TaskScope | undefined
  #asking: Asking | undefined

  constructor(parts: ContextParts) {
    this.#parts = parts
  }

  get threadId(): string {
    return this.#parts.frame.run.threadId
  }

  get address(): Address {
    return this.#parts.address ?? this.#parts.frame.address
  }

  get input(): unknown {
    return this.#parts.input
  }

  get superstep(): number {
    return this.#parts.superstep
  }

  get attempt(): number {
    return this.#parts.attempt
  }

  get signal(): AbortSignal {
    return this.#parts.frame.signal
  }

  // The explicit and the ambient way share one scope, so that their calls are counted together.
  get #here(): TaskScope {
    const ambient = currentScope()
    if (ambient?.frame === this.#parts.frame) return ambient
    this.#scope ??= new Scope(this.#parts.frame, this.#parts.frame.address)
    return this.#scope
  }

  get #ask(): Asking {
    const here = this.#here
    if (here !== this.#scope || this.#asking === undefined) this.#asking = askingIn(here)
    this.#scope = here
    return this.#asking
  }

  interrupt<T>(payload: unknown, options?: InterruptOptions<T>): Promise<T> {
    return this.#ask.interrupt(payload, options)
  }

  interruptForApproval(
    content: string,
    options: ApprovalOptions & { readonly detail: true },
  ): Promise<Approval>
  interruptForApproval(content: string, options?: ApprovalOptions): Promise<boolean>
  interruptForApproval(content: string, options?: ApprovalOptions): Promise<boolean | Approval> {
    return this.#ask.interruptForApproval(content, options)
  }

  interruptForChoice<T = string>(
    question: string,
    choices: readonly (T | Choice)[],
    options?: InterruptOptions<T>,
  ): Promise<T> {
    return this.#ask.interruptForChoice(question, choices, options)
  }

  interruptForInput(prompt: string, options?: InputOptions): Promise<string> {
    return this.#ask.interruptForInput(prompt, options)
  }

  interruptForForm<S extends Schema>(
    title: string,
    schema: S,
    options?: Omit<InterruptOptions<Infer<S>>, 'schema'>,
  ): Promise<Infer<S>> {
    return this.#ask.interruptForForm(title, schema, options)
  }

  step<T>(
    name: string,
    body: (info: StepInfo) => T | Promise<T>,
    options: StepOptions<NoInfer<T>> = {},
  ): Promise<T> {
    return stepIn(this.#here, { name, body, options })
  }

  lookup<T>(key: string): T {
    return lookUp(this.#parts, key) as T
  }

  emit(value: unknown): void {
    this.#parts.frame.run.emit(this.address, { type: 'custom', value })
  }
}

export function nodeContext(parts: ContextParts): NodeContext {
  return new TaskContext(parts)
}
