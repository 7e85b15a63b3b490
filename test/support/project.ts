// A project in a temporary folder, and the command run in it as a script would: no terminal.

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** How a command ended. */
export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** What a command is started with besides its words. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Written to standard input, which is then closed. Nothing by default. */
  readonly stdin?: string
  /** Leaves standard input open, as a pipe nobody writes to. */
  readonly stdinOpen?: boolean
}

/** A command on its way. */
export class RunningCommand {
  readonly process: ChildProcess
  stdout = ''
  stderr = ''
  readonly end: Promise<CommandEnd>
  readonly #changed: (() => void)[] = []

  constructor(
    file: string,
    args: readonly string[],
    options: CommandOptions & { readonly cwd: string },
  ) {
    const { stdin, stdinOpen, cwd, env } = options
    this.process = spawn(file, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: [stdin === undefined && stdinOpen !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (stdin !== undefined) this.process.stdin?.end(stdin)
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => this.#add('stdout', text))
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => this.#add('stderr', text))
    this.end = new Promise((resolve, reject) => {
      this.process.on('error', reject)
      this.process.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
        for (const changed of this.#changed) changed()
      })
    })
  }

  /** Resolves when one of the streams has shown `text`. */
  async until(text: string): Promise<void> {
    while (!this.stdout.includes(text) && !this.stderr.includes(text)) {
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(`It ended without "${text}":\n${this.stdout}\n${this.stderr}`)
      }
      await new Promise<void>((resolve) => this.#changed.push(resolve))
    }
  }

  #add(stream: 'stdout' | 'stderr', text: string): void {
    this[stream] += text
    for (const changed of this.#changed.splice(0)) changed()
  }
}

/** A folder with flows, and the command. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'hexagon-project-'))
  readonly #bin: string
  readonly #running = new Set<RunningCommand>()

  constructor(bin: string, files: Readonly<Record<string, string>> = {}) {
    this.#bin = bin
    for (const [path, content] of Object.entries({
      'package.json': '{"type":"module"}',
      ...files,
    })) {
      this.write(path, content)
    }
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), content)
  }

  /** Starts `hexagon` with these words. */
  start(args: readonly string[], options: CommandOptions = {}): RunningCommand {
    const running = new RunningCommand(process.execPath, [this.#bin, ...args], {
      cwd: this.folder,
      ...options,
    })
    this.#track(running)
    return running
  }

  /** Runs `hexagon` with these words to its end. */
  run(args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
    return this.start(args, options).end
  }

  /** Runs `hexagon` for its JSON document. */
  async json(args: readonly string[], options: CommandOptions = {}): Promise<JsonEnd> {
    const end = await this.run([...args, '--json'], options)
    return { ...end, document: JSON.parse(end.stdout) as JsonDocument }
  }

  /** A line of a shell in which `$HEXAGON` is the command. */
  shell(line: string, options: CommandOptions = {}): RunningCommand {
    const env = { HEXAGON: `${process.execPath} ${this.#bin}`, ...options.env }
    const running = new RunningCommand('/bin/bash', ['--norc', '-c', line], {
      cwd: this.folder,
      ...options,
      env,
    })
    this.#track(running)
    return running
  }

  /** Ends what still runs, and removes the folder. */
  remove(): void {
    for (const { process: child } of this.#running) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  #track(running: RunningCommand): void {
    this.#running.add(running)
    void running.end.finally(() => this.#running.delete(running))
  }
}

/** The parts of a document that tests look at. */
export interface JsonDocument {
  readonly ok: boolean
  readonly command: string
  readonly status?: string
  readonly exitCode?: number
  readonly thread: {
    readonly id: string
    readonly version: number
    readonly status: string
    readonly flow: string
  }
  readonly threads: readonly {
    readonly id: string
    readonly status: string
    readonly interrupts: readonly JsonInterrupt[]
  }[]
  readonly interrupts: readonly JsonInterrupt[]
  readonly result: unknown
  readonly resume?: string
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null }
  readonly damaged?: readonly { readonly file: string; readonly problem: string }[]
}

export interface JsonInterrupt {
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly message: string
  readonly digest: string
  readonly threadId: string
}

/** How a command ended that wrote JSON. */
export interface JsonEnd extends CommandEnd {
  readonly document: JsonDocument
}
