import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'

import { quickTempRoot } from './temp-folder.ts'

/** Runs an act of upkeep in processes that are killed, each at the next point of its way. */
export class UpkeepProcess {
  readonly root = mkdtempSync(join(quickTempRoot(), 'hexagon-upkeep-'))
  readonly #script = join(this.root, 'upkeep-scenario.mjs')

  /** Bundles the script once: each of the many processes then starts in a moment. */
  async prepare(): Promise<void> {
    await build({
      entryPoints: [join(import.meta.dirname, 'upkeep-scenario.ts')],
      outfile: this.#script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    })
  }

  /** Gives a copy of the folder as each kill leaves it, and what it finds, by point. */
  async problems(
    folder: string,
    act: string,
    check: (copy: string) => Promise<readonly string[]>,
  ): Promise<{ readonly points: readonly string[]; readonly problems: readonly string[] }> {
    const { stdout } = await this.#run(folder, act, 0)
    const points = stdout.split('\n').filter((line) => line !== '')
    const problems: string[] = []
    for (const [index, point] of points.entries()) {
      const copy = this.#copyOf(folder, index + 1)
      const { signal } = await this.#end([copy, act, String(index + 1)])
      const found = signal === 'SIGKILL' ? await check(copy) : [`ended with ${String(signal)}`]
      problems.push(...found.map((problem) => `${index + 1} ${point}: ${problem}`))
      rmSync(copy, { recursive: true })
    }
    return { points, problems }
  }

  dispose(): void {
    rmSync(this.root, { recursive: true })
  }

  async #run(folder: string, act: string, target: number): Promise<{ readonly stdout: string }> {
    return this.#end([this.#copyOf(folder, 0), act, String(target)])
  }

  #copyOf(folder: string, number: number): string {
    const copy = join(this.root, String(number))
    cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
    return copy
  }

  #end(args: readonly string[]): Promise<{ stdout: string; signal: string | null }> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [this.#script, ...args], (_error, stdout) => {
        resolve({ stdout, signal: child.signalCode })
      })
    })
  }
}
