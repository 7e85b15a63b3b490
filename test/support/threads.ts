import {
  type Flow,
  type Interrupt,
  type ResumeCommand,
  type ResumeOptions,
  type Run,
  type RunEvent,
  Runner,
  type RunnerOptions,
  type RunOptions,
  type RunResult,
  type Store,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/index.ts'

/** A graph, a flow, or a bare function. */
export type AnyFlow = Flow | ((input: never, ctx: never) => unknown)

/** One store, and a new Runner at every call, as separate processes would have. */
export class Threads {
  readonly store: Store
  readonly #options: RunnerOptions

  constructor(options: RunnerOptions = {}) {
    this.store = options.store ?? memoryStore()
    this.#options = options
  }

  runner(): Runner {
    return new Runner({ ...this.#options, store: this.store })
  }

  run(flow: AnyFlow, input?: unknown, options?: RunOptions): Run {
    return this.runner().run(flow, input, options)
  }

  start(flow: AnyFlow, input?: unknown, options?: RunOptions): Promise<RunResult> {
    return this.run(flow, input, options).result
  }

  resume(
    flow: AnyFlow,
    thread: { readonly threadId: string } | string,
    command: ResumeCommand = {},
    options: ResumeOptions = {},
  ): Promise<RunResult> {
    return this.resumeRun(flow, thread, command, options).result
  }

  resumeRun(
    flow: AnyFlow,
    thread: { readonly threadId: string } | string,
    command: ResumeCommand = {},
    options: ResumeOptions = {},
  ): Run {
    const threadId = typeof thread === 'string' ? thread : thread.threadId
    return this.runner().resume(threadId, command, { flow, ...options })
  }
}

/** The only open question. */
export function question(left: { readonly interrupts: readonly Interrupt[] }): Interrupt {
  const [only, ...others] = left.interrupts
  if (only === undefined || others.length > 0) {
    throw new Error(`one question is wanted, open: ${messages(left).join(', ') || 'none'}`)
  }
  return only
}

/** The open question with this message. */
export function questionAsking(
  left: { readonly interrupts: readonly Interrupt[] },
  message: string,
): Interrupt {
  const found = left.interrupts.find((open) => open.message === message)
  if (found === undefined)
    throw new Error(`nobody asks "${message}", open: ${messages(left).join(', ') || 'none'}`)
  return found
}

/** What the open questions ask, in their order. */
export function messages(left: { readonly interrupts: readonly Interrupt[] }): string[] {
  return left.interrupts.map(({ message }) => message)
}

/** Every event of a run, after its end. */
export async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** Names of the nodes whose start the events tell, in their order. */
export function startedNodes(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'node:start' ? [event.node] : []))
}

/** A promise with its handle outside, and whether somebody has come to it. */
export class Latch {
  readonly opened: Promise<void>
  readonly reached: Promise<void>
  #open: () => void = () => undefined
  #reach: () => void = () => undefined

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve
    })
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  open(): void {
    this.#open()
  }

  /** Waits here until the latch is opened. */
  wait(): Promise<void> {
    this.#reach()
    return this.opened
  }
}
