// Builds the prompt driver once for a test file and runs it on pseudo terminals.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { buildSync } from 'esbuild'

import type { DriverPlan } from './prompt-driver.ts'
import { Pty, type PtyExit } from './pty.ts'

/** How the driver's terminal is. */
export interface DriverRequest {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** Runs this in the shell; `$DRIVER` is the driver with its plan. */
  readonly shell?: string
  /** Types the command at an interactive shell, with job control. */
  readonly typed?: boolean
}

/** What the driver found out. */
export interface DriverReport {
  readonly answers: Readonly<Record<string, unknown>>
  readonly sources: readonly { readonly reason?: string; readonly via?: string }[]
  readonly left?: {
    readonly kind: string
    readonly via?: string
    readonly signal?: string
    readonly typed?: boolean
  }
  readonly listeners: readonly [readonly number[], readonly number[]]
  readonly interactive: boolean
  readonly whyNot?: string
  readonly ms: number
}

/** Runs the driver, and ends what a test left running. */
export class Driver {
  readonly folder = mkdtempSync(join(tmpdir(), 'hexagon-driver-'))
  readonly #file = join(this.folder, 'driver.mjs')
  readonly #running: Pty[] = []
  #count = 0

  constructor() {
    buildSync({
      entryPoints: [resolve(import.meta.dirname, 'prompt-driver.ts')],
      outdir: this.folder,
      entryNames: 'driver',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      conditions: ['hexagon:source'],
      logLevel: 'error',
      banner: {
        js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
      },
    })
  }

  /** Starts the driver with its stdout in a file, as a script would. */
  run(plan: DriverPlan, request: DriverRequest = {}): DriverRun {
    this.#count += 1
    const out = join(this.folder, `out-${this.#count}.json`)
    const driver = `${process.execPath} ${this.#file} "$PLAN"`
    const { shell = '$DRIVER > "$OUT"', typed = false, env = {}, ...size } = request
    const script = shell.replaceAll('$DRIVER', driver)
    const pty = new Pty({
      command: '/bin/bash',
      args: typed ? ['--norc', '--noediting', '-i'] : ['--norc', '-c', script],
      ...size,
      env: { PLAN: JSON.stringify(plan), OUT: out, TMPDIR: this.folder, PS1: '$ ', ...env },
    })
    this.#running.push(pty)
    if (typed) pty.send(`${script}\n`)
    return new DriverRun(pty, out)
  }

  close(): void {
    for (const pty of this.#running.splice(0)) pty.close()
  }

  remove(): void {
    this.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** One run of the driver. */
export class DriverRun {
  readonly pty: Pty
  readonly #out: string

  constructor(pty: Pty, out: string) {
    this.pty = pty
    this.#out = out
  }

  /** What an editor of a test wrote about its file. */
  modes(): string {
    return readFileSync(join(dirname(this.#out), 'modes'), 'utf8')
  }

  /** Waits for the end; gives the exit code and what was left on stdout. */
  async end(): Promise<PtyExit & { readonly report: DriverReport; readonly stdout: string }> {
    const exit = await this.pty.end()
    return { ...exit, stdout: readFileSync(this.#out, 'utf8'), report: this.report() }
  }

  /** What the driver left on stdout. */
  report(): DriverReport {
    return JSON.parse(readFileSync(this.#out, 'utf8')) as DriverReport
  }
}
