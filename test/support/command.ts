// The command line inside the test's own process, with a terminal that follows a script.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'

// Loaded before the first change of directory: it starts its helper where it was loaded.
import 'esbuild'

import { answerTo } from '../../src/cli/command-line.ts'
import { nodeInput } from '../../src/cli/value/node-input.ts'
import { fakeTerminal, type FakeOptions, type FakeTerminal } from './terminal.ts'

/** What a command line met and left. */
export interface CommandOutcome {
  readonly code: number
  /** What programs read. */
  readonly stdout: string
  /** What people read. */
  readonly stderr: string
  readonly terminal: FakeTerminal
}

/** How a command is run besides its words. */
export interface CommandContext extends FakeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** A folder in which command lines are run. */
export class CommandBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'hexagon-bench-'))
  readonly #before = process.cwd()

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, content] of Object.entries(files)) this.write(name, content)
    process.chdir(this.folder)
  }

  write(name: string, content: string): void {
    const file = join(this.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  /** Runs the words after `hexagon`; without a terminal unless `interactive` is asked for. */
  async run(words: readonly string[], context: CommandContext = {}): Promise<CommandOutcome> {
    const { env = {}, stdin, ...fake } = context
    const terminal = fakeTerminal({ interactive: false, isTTY: false, ...fake })
    const input = Object.assign(Readable.from([stdin ?? ''], { objectMode: false }), {
      isTTY: stdin === undefined,
    })
    let written = ''
    const code = await answerTo(words, {
      env,
      input: nodeInput({ directory: this.folder, stdin: input }),
      stdout: { isTTY: false, rows: 24, write: (text) => void (written += text) },
      terminal,
    })
    process.chdir(this.folder)
    return { code, stdout: written + terminal.written, stderr: terminal.lines.join('\n'), terminal }
  }

  remove(): void {
    process.chdir(this.#before)
    rmSync(this.folder, { recursive: true, force: true })
  }
}
