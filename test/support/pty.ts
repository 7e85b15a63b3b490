// A program on a pseudo terminal, with a screen one can look at.

import { spawn, type IPty } from '@lydell/node-pty'
import headless from '@xterm/headless'

/** What to run, and on how large a terminal. */
export interface PtyRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** How the program ended. */
export interface PtyExit {
  readonly code: number
  readonly signal: number
}

const STEP_MS = 15
/** Only for what never comes, and before the test gives up without a word. */
const LIMIT_MS = 25_000

/** What a key sends. */
export const keys = {
  up: '\u001b[A',
  down: '\u001b[B',
  enter: '\r',
  escape: '\u001b',
  space: ' ',
  tab: '\t',
  backspace: '\u007f',
  ctrlB: '\u0002',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlZ: '\u001a',
} as const

/** A running program and its screen. */
export class Pty {
  readonly #process: IPty
  readonly #screen: headless.Terminal
  readonly #ended = new AbortController()
  /** Everything the program wrote, with its control sequences. */
  raw = ''
  title = ''
  readonly exit: Promise<PtyExit>

  constructor({ command, args, columns = 80, rows = 24, cwd, env = {} }: PtyRequest) {
    this.#screen = new headless.Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      scrollback: 5000,
    })
    this.#screen.onTitleChange((title) => (this.title = title))
    this.#process = spawn(command, [...args], {
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      ...(cwd === undefined ? {} : { cwd }),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        LANG: 'C.UTF-8',
        ...env,
      },
    })
    this.#process.onData((data) => {
      this.raw += data
      this.#screen.write(data)
    })
    this.exit = new Promise((resolve) => {
      this.#process.onExit(({ exitCode, signal }) =>
        resolve({ code: exitCode, signal: signal ?? 0 }),
      )
    })
    void this.exit.then(() => this.#drawn()).then(() => this.#ended.abort())
  }

  get pid(): number {
    return this.#process.pid
  }

  /** True unless the program hid the cursor and did not show it again. */
  get cursorVisible(): boolean {
    return this.raw.lastIndexOf('\u001b[?25l') <= this.raw.lastIndexOf('\u001b[?25h')
  }

  /** Types keys or text as one chunk, as a paste comes. */
  send(...chunks: readonly string[]): void {
    for (const chunk of chunks) this.#process.write(chunk)
  }

  /** Types text a key at a time, waiting until each was taken. */
  async type(text: string, pauseMs = 25): Promise<void> {
    for (const key of text) {
      this.#process.write(key)
      await pause(pauseMs)
    }
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.#process.pid, signal)
  }

  /** Takes the terminal away, as closing its window does. */
  hangUp(): void {
    const { destroy } = this.#process as unknown as { readonly destroy: () => void }
    destroy.call(this.#process)
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    this.#process.resize(columns, rows)
  }

  /** Every line of the screen and of what scrolled out of it, without empty ones at the end. */
  lines(): string[] {
    const { active } = this.#screen.buffer
    const lines = Array.from({ length: active.length }, (_, row) =>
      (active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
    )
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  /** The lines in view. */
  view(): string[] {
    const { active } = this.#screen.buffer
    const rows = Array.from({ length: this.#screen.rows }, (_, row) =>
      (active.getLine(active.viewportY + row)?.translateToString(true) ?? '').trimEnd(),
    )
    while (rows.at(-1) === '') rows.pop()
    return rows
  }

  text(): string {
    return this.lines().join('\n')
  }

  /** Waits until the screen shows `wanted`. */
  async until(wanted: string | RegExp | ((pty: Pty) => boolean)): Promise<void> {
    const never = AbortSignal.timeout(LIMIT_MS)
    while (!this.#shows(wanted)) {
      const end = AbortSignal.any([never, this.#ended.signal])
      if (end.aborted) throw new Error(`The screen never showed ${String(wanted)}:\n${this.text()}`)
      await this.#change(end)
    }
  }

  /** Resolves when something was drawn, or when nothing more comes. */
  #change(end: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const drawn = this.#screen.onWriteParsed(() => done())
      const done = (): void => {
        drawn.dispose()
        end.removeEventListener('abort', done)
        resolve()
      }
      end.addEventListener('abort', done)
    })
  }

  /** Resolves when all that the program wrote so far is on the screen. */
  #drawn(): Promise<void> {
    return new Promise((resolve) => this.#screen.write('', resolve))
  }

  /** Waits until the program has ended and all it wrote is on the screen. */
  async end(): Promise<PtyExit> {
    const exit = await this.exit
    await pause(STEP_MS * 4)
    await this.#drawn()
    return exit
  }

  /** Ends what still runs. */
  close(): void {
    try {
      this.#process.kill('SIGKILL')
    } catch {
      // It has ended by itself.
    }
    this.#screen.dispose()
  }

  #shows(wanted: string | RegExp | ((pty: Pty) => boolean)): boolean {
    if (typeof wanted === 'function') return wanted(this)
    return typeof wanted === 'string' ? this.text().includes(wanted) : wanted.test(this.text())
  }
}

/** Lets a moment pass: a person's pace, or a poll's step. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
