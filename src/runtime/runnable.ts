import type { Address } from '../core/address.ts'
import type { Flow } from '../core/flow.ts'
import type { Frame } from './frame.ts'
import type { ThreadRun } from './thread-run.ts'

/** A flow set up to run in a thread. */
export interface Running {
  /** The frame around everything. */
  readonly root: Frame
  /** Runs to the end; gives the flow's output. */
  readonly body: () => Promise<unknown>
  /** The state as it is now. */
  state(): Readonly<Record<string, unknown>>
}

/** Whether an address still exists in a flow. */
export type Located =
  | { readonly found: true }
  | { readonly found: false; readonly name: string; readonly known: readonly string[] }

/** What the runner drives: any flow. It knows neither graphs nor agents. */
export interface Runnable extends Flow {
  /** Checks and completes an input. @throws InvalidAnswerError, UnknownNameError */
  checkInput(input: unknown): Promise<unknown>
  /** Checks what a caller wants changed. @throws UnknownNameError, SerializationError */
  checkCommand(command: {
    readonly update?: Readonly<Record<string, unknown>> | undefined
    readonly goto?: readonly string[] | undefined
    /** The subgraph they are for. */
    readonly within?: Address | undefined
  }): void
  locate(address: Address): Located
  start(run: ThreadRun, input: unknown): Running
}
