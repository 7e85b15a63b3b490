// What a plan was made from. A plan read from the cache is used only while all of it still holds.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'

import { isFile } from './find/flow-file.ts'

/** A path, and what was found there: a digest, or one of the states below. */
export type Evidence = readonly [path: string, state: string]

const NO_FILE = '-'
const SOME_FILE = '+'
const LINK = '@'

/** A digest of content, short enough for names. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url')
}

/** True while every path is as it was. */
export function stillHolds(evidence: readonly Evidence[]): boolean {
  return evidence.every(([path, state]) => isAsSeen(path, state))
}

/** Looks at files, and remembers what it saw. */
export class Witness {
  readonly #seen = new Map<string, string>()

  get evidence(): Evidence[] {
    return [...this.#seen]
  }

  /** What the file holds; undefined without one. */
  read(path: string): string | undefined {
    if (!this.finds(path)) return undefined
    const content = readFileSync(path)
    this.#seen.set(path, digestOf(content))
    return content.toString('utf8')
  }

  /** Whether there is a file. What it holds does not matter, unless it is read too. */
  finds(path: string): boolean {
    const found = isFile(path)
    if (!this.#seen.has(path)) this.#seen.set(path, found ? SOME_FILE : NO_FILE)
    return found
  }

  /** The file behind links, as Node names modules. */
  follow(path: string): string {
    const real = realpathSync(path)
    if (real !== path) this.#seen.set(path, LINK + real)
    return real
  }
}

function isAsSeen(path: string, state: string): boolean {
  if (state === NO_FILE) return !isFile(path)
  if (state === SOME_FILE) return isFile(path)
  try {
    return state.startsWith(LINK)
      ? LINK + realpathSync(path) === state
      : digestOf(readFileSync(path)) === state
  } catch {
    return false
  }
}
