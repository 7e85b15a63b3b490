import type { Paint } from './color.ts'
import type { EditRequest, Edited } from './editor.ts'
import type { WhyNot } from './interactivity.ts'
import type { LogGate } from './log-gate.ts'
import type { Prompter } from './prompter.ts'
import type { Symbols } from './symbols.ts'
import type { Turn } from './turn.ts'

/** What one may know of an output stream. */
export interface Screen {
  readonly isTTY: boolean
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
}

/** Everything a command may touch besides its options. Tests pass a fake. */
export interface Terminal {
  /** Writes the result: into a pipe as it is, on a screen without what a terminal would obey. */
  stdout(text: string): void
  /** Writes a line of everything that is not the result. Waits while a prompt is open. */
  stderr(line: string): void
  /** A line for the CI service, not for people: the only one that may carry its commands. */
  announce(line: string): void
  /** What goes on at the moment, on one line that disappears; nothing takes it away. */
  status(text: string | undefined): void
  /** True when a person can be asked. */
  readonly interactive: boolean
  readonly whyNot: WhyNot | undefined
  readonly out: Screen
  readonly err: Screen
  readonly symbols: Symbols
  /** Line prompts, no cursor movement, nothing that moves. */
  readonly plain: boolean
  readonly prompter: Prompter
  readonly logs: LogGate
  /** One at a time: prompts, and child processes that ask at the same terminal. */
  readonly exclusive: Turn
  /** Shows long text in the reader's pager. */
  page(text: string): Promise<void>
  /** Opens text in the person's editor. */
  edit(request: EditRequest): Promise<Edited>
  /** True once nobody reads standard output any more. */
  readonly stdoutClosed: boolean
  /** Gives the terminal back as it was found. */
  close(): void
}
