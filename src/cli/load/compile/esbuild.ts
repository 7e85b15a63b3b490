import { createRequire } from 'node:module'

import type * as Esbuild from 'esbuild'

/** The part of esbuild that is used here. */
export type Compiler = Pick<typeof Esbuild, 'build' | 'stop'>

let users = 0

/**
 * Gives `work` the esbuild that tsx brings: a cached flow is then what tsx would have made of it. Its
 * process ends with the last work, so that none idles beside a flow that waits for days.
 */
export async function withCompiler<T>(work: (compiler: Compiler) => Promise<T>): Promise<T> {
  const compiler: Compiler = requireFromTsx()('esbuild')
  users += 1
  try {
    return await work(compiler)
  } finally {
    users -= 1
    if (users === 0) await compiler.stop()
  }
}

/** The file that changes with esbuild. */
export function compilerManifest(): string {
  return requireFromTsx().resolve('esbuild/package.json')
}

function requireFromTsx(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve('tsx/package.json'))
}
