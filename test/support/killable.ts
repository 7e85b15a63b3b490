import {
  Runner,
  type Interrupt,
  type ResumeCommand,
  type RunnerOptions,
  type RunResult,
} from '../../src/index.ts'
import { memoryStore, type Store } from '../../src/stores/index.ts'
import { Crash, mortalStore } from './crashing-store.ts'
import type { AnyFlow } from './threads.ts'

/** One thread, taken up by one process after the other, each of which may be killed. */
export class KillableThread {
  readonly flow: AnyFlow
  readonly store: Store
  readonly threadId = 't'
  /** Kills the process that runs now. */
  kill: () => void = () => undefined
  #time = 1_000_000
  #begun = false

  constructor(flow: (thread: KillableThread) => AnyFlow) {
    this.store = memoryStore({ clock: () => this.#time })
    this.flow = flow(this)
  }

  /** Starts or continues the thread in a process of its own; undefined when that was killed. */
  async go(
    command: ResumeCommand = {},
    options: RunnerOptions = {},
  ): Promise<RunResult | undefined> {
    const mortal = mortalStore(this.store)
    this.kill = mortal.kill
    const { threadId, flow } = this
    const runner = new Runner({
      ...options,
      store: mortal.store,
      services: { clock: () => this.#time },
    })
    const run = this.#begun
      ? runner.resume(threadId, command, { flow })
      : runner.run(flow, undefined, { threadId })
    this.#begun = true
    try {
      return await run.result
    } catch (error) {
      if (!isCrash(error)) throw error
      // A dead process holds its lease until its time is over.
      this.#time += 3_600_000
      return undefined
    }
  }

  async open(): Promise<readonly Interrupt[]> {
    return (await new Runner({ store: this.store }).get(this.threadId)).interrupts
  }

  /** Answers the only open question, in a process of its own. */
  async answer(answer: unknown): Promise<RunResult | undefined> {
    return this.go({ answer })
  }
}

function isCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof Error && error.cause instanceof Crash)
}
