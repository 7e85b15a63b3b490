import { statSync, type Stats } from 'node:fs'
import { extname, isAbsolute, relative, sep } from 'node:path'

/** What a flow file may end in, in the order in which they are tried. */
export const FLOW_EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'] as const

/** True for a name with one of {@link FLOW_EXTENSIONS}; declarations hold no flow. */
export function isFlowName(name: string): boolean {
  const known: readonly string[] = FLOW_EXTENSIONS
  return known.includes(extname(name)) && !/\.d\.[mc]?ts$/u.test(name)
}

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true
}

export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true
}

/** A path as messages and records name it: below `root` relative to it, with `/`; else as it is. */
export function nameIn(root: string, path: string): string {
  const below = relative(root, path)
  const isBelow = below !== '' && !below.startsWith('..') && !isAbsolute(below)
  return isBelow ? below.split(sep).join('/') : path
}

/** What can't be looked at is not there: below a file, or behind a closed folder. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
