import { extname, join } from 'node:path'

import type { Witness } from '../evidence.ts'

const IMPLICIT = ['.ts', '.tsx', '.jsx', '.js', '.json']

/** TypeScript writes imports as if its files were compiled already. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.js', '.jsx'],
  '.jsx': ['.tsx', '.ts', '.jsx', '.js'],
  '.mjs': ['.mts', '.mjs'],
  '.cjs': ['.cts', '.cjs'],
}

const VERBATIM = new Set(['.ts', '.tsx', '.mts', '.cts', '.json', '.node'])

/** True for files that Node 20 can't run as they are. */
export function isTypeScript(path: string): boolean {
  return /\.(?:[mc]?ts|tsx)$/u.test(path)
}

/**
 * The file that a path without, or with a compiled file's, extension means: the order is that of tsx.
 * TypeScript looks for sources first, JavaScript for exactly what it says.
 */
export function findModule(path: string, importer: string, witness: Witness): string | undefined {
  const guesses = path.endsWith('/') ? [] : guessesFor(path, isTypeScript(importer))
  const all = [...guesses, ...IMPLICIT.map((extension) => join(path, `index${extension}`))]
  return all.find((candidate) => witness.finds(candidate))
}

function guessesFor(path: string, sourcesFirst: boolean): string[] {
  const extension = extname(path)
  if (VERBATIM.has(extension)) return [path]
  const bare = path.slice(0, path.length - extension.length)
  const sources = SOURCES[extension]?.map((source) => bare + source)
  const guesses = sources ?? IMPLICIT.map((implicit) => path + implicit)
  return sourcesFirst ? [...guesses, path] : [path, ...guesses]
}
