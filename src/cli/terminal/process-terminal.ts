// The real terminal. It owns the process's streams: what they are, when they may be written to and
// what happens when the other end goes away.
//
// Invariants:
//   1. Only the result reaches stdout.
//   2. While a prompt is open nothing else is written to the screen; it is written afterwards.
//   3. A reader that went away ends the writing, never the process.

import { closeSync, openSync } from 'node:fs'
import { ReadStream } from 'node:tty'

import { colorLevel, createPaint, type ColorChoice } from './color.ts'
import type { Console } from './console.ts'
import type { Edited, EditRequest } from './editor.ts'
import { isCi, isOn, type Environment } from './environment.ts'
import { interactivityOf, type Interactivity, type WhyNot } from './interactivity.ts'
import { LazyPrompter } from './lazy-prompter.ts'
import { LogGate } from './log-gate.ts'
import type { Prompter } from './prompter.ts'
import { guard, neutralizeCommands, safe } from './safe.ts'
import { StatusLine } from './status-line.ts'
import { symbolSets, symbolsFor, type Symbols } from './symbols.ts'
import type { Screen, Terminal } from './terminal.ts'
import { createTurn } from './turn.ts'

/** The streams and the environment of a process. */
export interface ProcessParts {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Environment
}

/** The options that decide how a command meets its terminal. */
export interface TerminalOptions {
  readonly noInput?: boolean | undefined
  readonly interactive?: boolean | undefined
  readonly plain?: boolean | undefined
  readonly color?: ColorChoice | undefined
  readonly noPager?: boolean | undefined
  readonly quiet?: boolean | undefined
  /** The editor of the configuration. */
  readonly editor?: string | undefined
}

/** The terminal of this process. */
export async function createTerminal(
  options: TerminalOptions = {},
  parts: ProcessParts = process,
): Promise<Terminal> {
  const { color = 'auto' } = options
  const [out, err] = await Promise.all([
    screenOf(parts.stdout, parts.env, color),
    screenOf(parts.stderr, parts.env, color),
  ])
  return new ProcessTerminal(options, parts, { out, err })
}

interface Screens {
  readonly out: Screen
  readonly err: Screen
}

const GONE = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

class ProcessTerminal implements Terminal {
  readonly out: Screen
  readonly err: Screen
  readonly symbols: Symbols
  readonly plain: boolean
  readonly prompter: Prompter
  readonly logs = new LogGate()
  readonly exclusive = createTurn()
  readonly #options: TerminalOptions
  readonly #parts: ProcessParts
  readonly #interactivity: Interactivity
  readonly #status: StatusLine | undefined
  readonly #onOutError = (error: NodeJS.ErrnoException): void => this.#lose(error)
  readonly #onErrError = (error: NodeJS.ErrnoException): void => this.#loseTerminal(error)
  #stdoutClosed = false
  #hungUp = false
  #input: ReadStream | undefined

  constructor(options: TerminalOptions, parts: ProcessParts, { out, err }: Screens) {
    const { env, stdout, stderr } = parts
    this.#options = options
    this.#parts = parts
    this.plain = options.plain === true || isOn(env['HEXAGON_PLAIN']) || env['TERM'] === 'dumb'
    this.symbols = this.plain ? symbolSets.ascii : symbolsFor(env)
    this.out = out
    this.err = err
    this.#interactivity = interactivityOf({
      ...options,
      env,
      get stdinIsTTY() {
        return isTerminal(parts.stdin)
      },
      stderrIsTTY: isTerminal(stderr),
      hasTerminal,
    })
    this.#status = this.#canMove() ? this.#createStatus() : undefined
    this.prompter = new LazyPrompter({ open: () => this.#console(), plain: this.plain })
    stdout.on('error', this.#onOutError)
    stderr.on('error', this.#onErrError)
  }

  get interactive(): boolean {
    return this.#interactivity.kind === 'interactive'
  }

  get whyNot(): WhyNot | undefined {
    return this.#interactivity.kind === 'silent' ? this.#interactivity.why : undefined
  }

  get stdoutClosed(): boolean {
    return this.#stdoutClosed
  }

  stdout(text: string): void {
    if (this.#stdoutClosed) return
    if (!this.out.isTTY) {
      this.#parts.stdout.write(text)
      return
    }
    // On a screen the result is a text like every other: it is made safe, and waits for prompts.
    const guarded = guard(text, this.out.paint.level > 0)
    this.logs.pass(() => this.#above(() => this.#parts.stdout.write(guarded)))
  }

  stderr(line: string): void {
    const guarded = guard(line, this.err.paint.level > 0)
    const text = isOn(this.#parts.env['GITHUB_ACTIONS']) ? neutralizeCommands(guarded) : guarded
    this.logs.pass(() => this.#above(() => this.#parts.stderr.write(`${text}\n`)))
  }

  announce(line: string): void {
    this.logs.pass(() => this.#above(() => this.#parts.stderr.write(`${safe(line)}\n`)))
  }

  status(text: string | undefined): void {
    this.#status?.set(text === undefined ? undefined : guard(text, this.err.paint.level > 0))
  }

  async page(text: string): Promise<void> {
    const { page, pagerCommand } = await import('./pager.ts')
    const command = this.plain
      ? undefined
      : pagerCommand(this.#parts.env, this.#options.noPager === true)
    const shown = safe(text)
    if (command === undefined || !(await this.#alone(() => page(shown, command)))) {
      this.prompter.show(shown.split('\n'))
    }
  }

  async edit(request: EditRequest): Promise<Edited> {
    const { edit, editorCommand } = await import('./editor.ts')
    const command = editorCommand(this.#parts.env, this.#options.editor)
    return this.#alone(() => edit(request, command))
  }

  close(): void {
    this.#status?.set(undefined)
    this.#input?.destroy()
    this.#input = undefined
    this.#parts.stdout.off('error', this.#onOutError)
    this.#parts.stderr.off('error', this.#onErrError)
  }

  #console(): Console {
    const { stdin, stderr } = this.#parts
    const { logs, exclusive, symbols } = this
    const { paint } = this.err
    this.#status?.hide()
    return { input: this.#keyboard(stdin), output: stderr, paint, symbols, logs, exclusive }
  }

  #keyboard(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
    if (this.#interactivity.kind === 'interactive' && this.#interactivity.input === 'stdin') {
      return stdin
    }
    this.#input ??= new ReadStream(openSync('/dev/tty', 'r+'))
    return this.#input
  }

  #createStatus(): StatusLine {
    const { stderr } = this.#parts
    return new StatusLine({
      write: (text) => void stderr.write(text),
      free: () => !this.logs.held,
      columns: () => this.err.columns,
      frames: this.symbols.spinner,
    })
  }

  #canMove(): boolean {
    const calm = this.#options.quiet === true || this.plain || isCi(this.#parts.env)
    return this.err.isTTY && !calm
  }

  #above(write: () => void): void {
    this.#status?.hide()
    write()
    this.#status?.draw()
  }

  async #alone<T>(job: () => Promise<T>): Promise<T> {
    this.#status?.hide()
    this.logs.hold()
    try {
      return await job()
    } finally {
      this.logs.release()
    }
  }

  #loseTerminal(error: NodeJS.ErrnoException): void {
    ignoreGone(error)
    if (!this.err.isTTY || this.#hungUp) return
    this.#hungUp = true
    // Node aborts at its end when it can't reset a terminal that was closed. By then everything is
    // saved and written: ending by the signal that says so is what a shell expects.
    process.once('exit', () => process.kill(process.pid, 'SIGHUP'))
  }

  #lose(error: NodeJS.ErrnoException): void {
    ignoreGone(error)
    this.#stdoutClosed = true
  }
}

/** A reader that went away is no failure of ours; anything else is. */
function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!GONE.has(error.code ?? '')) throw error
}

async function screenOf(
  stream: NodeJS.WriteStream,
  env: Environment,
  choice: ColorChoice,
): Promise<Screen> {
  const isTTY = isTerminal(stream)
  const assumed = Number(env['COLUMNS']) || (isCi(env) ? 120 : 80)
  return {
    isTTY,
    get columns() {
      return (isTTY ? stream.columns : 0) || assumed
    },
    get rows() {
      return (isTTY ? stream.rows : 0) || 24
    },
    paint: await createPaint(colorLevel(isTTY, env, choice)),
  }
}

/** Streams that are no terminal have no such property, whatever their types say. */
function isTerminal({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return isTTY === true
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    // No controlling terminal; the caller says so.
    return false
  }
}
