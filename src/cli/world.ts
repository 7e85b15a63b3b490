import type { Environment } from './terminal/environment.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { DataInput } from './value/given.ts'
import { nodeInput } from './value/node-input.ts'

/** What a command line is run in: the process, or a test's stand-in for it. */
export interface World {
  readonly env: Environment
  readonly input: DataInput
  /** Standard output as programs read it. */
  readonly stdout: { readonly isTTY: boolean; readonly rows: number; write(text: string): void }
  /** A terminal instead of the process's own. */
  readonly terminal?: Terminal
}

/** This process. */
export function processWorld(): World {
  const { stdout, env } = process
  // Kept from now: while flow code runs, what it writes to the stream goes elsewhere.
  const write = stdout.write.bind(stdout)
  return {
    env,
    input: nodeInput({
      directory: process.cwd(),
      get stdin() {
        return process.stdin
      },
    }),
    stdout: {
      isTTY: stdout.isTTY,
      get rows() {
        return stdout.rows
      },
      write: (text) => void write(text),
    },
  }
}
