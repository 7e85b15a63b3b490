// Plans and compiled copies between processes.
//
//   <folder>/<key>/plan             how to load one flow file, behind a digest of itself
//   <folder>/<key>/<build>/*.mjs    its copies; another content is another folder, so nothing that a
//                                   running process may still import is ever changed
//
// Invariants:
//   1. Nothing is taken from a file or folder that somebody else owns or may write.
//   2. A file is complete or not there: it is renamed into place.
//   3. What is damaged counts as missing.

import { randomUUID } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { digestOf, stillHolds } from './evidence.ts'
import { ownLibrary, userConditions } from './library.ts'
import type { FreshPlan, Plan, PlanRequest } from './plan.ts'

/** A plan, and where its copies are. */
export interface CachedPlan {
  readonly plan: Plan
  readonly folder: string
}

interface StoredPlan {
  readonly plan: Plan
  readonly build: string
  /** Of each copy, by file name. */
  readonly digests: Readonly<Record<string, string>>
}

/** Grows when stored plans mean something else than before. */
const FORMAT = 2
const FORGOTTEN_AFTER = 30 * 24 * 60 * 60 * 1000

/** Everything a plan depends on that is not a file of the project. */
export function planKey({ file, tsconfig, mayBeNative }: PlanRequest): string {
  const { version, root } = ownLibrary()
  const about = [
    FORMAT,
    version,
    root,
    process.version,
    userConditions(),
    file,
    tsconfig,
    mayBeNative,
  ]
  return digestOf(JSON.stringify(about)).slice(0, 20)
}

/** The plan kept under `key`, if it is ours, whole, and everything it was made from is as it was. */
export function readPlan(folder: string, key: string): CachedPlan | undefined {
  const place = join(folder, key)
  try {
    if (![folder, place, join(place, 'plan')].every(isOurs)) return undefined
    const stored = parse(readFileSync(join(place, 'plan'), 'utf8'))
    if (stored === undefined || !stillHolds(stored.plan.evidence)) return undefined
    const copies = join(place, stored.build)
    return areWhole(copies, stored.digests) ? { plan: stored.plan, folder: copies } : undefined
  } catch {
    return undefined
  }
}

/** Keeps a plan and its copies; a file that is there and whole is left alone. @throws when it can't */
export function writePlan(folder: string, key: string, { plan, copies }: FreshPlan): CachedPlan {
  const place = join(folder, key)
  const digests = Object.fromEntries([...copies].map(([name, code]) => [name, digestOf(code)]))
  const build = digestOf(JSON.stringify([digests, plan])).slice(0, 20)
  const target = join(place, build)
  mkdirSync(target, { recursive: true, mode: 0o700 })
  for (const made of [folder, place, target]) {
    if (!isOurs(made))
      throw new Error(`${made} belongs to somebody else, or others may write in it`)
  }
  for (const [name, code] of copies) replace(join(target, name), code)
  const stored: StoredPlan = { plan, build, digests }
  replace(join(place, 'plan'), seal(JSON.stringify(stored)))
  forgetOld(place, [build, 'plan'])
  forgetOld(folder, [key])
  return { plan, folder: target }
}

function isOurs(path: string): boolean {
  const { mode, uid } = lstatSync(path)
  const isLink = (mode & 0o170000) === 0o120000
  const isMine = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
  return isMine && !isLink
}

function areWhole(folder: string, digests: StoredPlan['digests']): boolean {
  const names = Object.entries(digests)
  return (
    names.length === 0 ||
    (isOurs(folder) &&
      names.every(([name, digest]) => digestOf(readFileSync(join(folder, name))) === digest))
  )
}

function replace(path: string, content: string): void {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function seal(text: string): string {
  return `${digestOf(text)}\n${text}`
}

function parse(sealed: string): StoredPlan | undefined {
  const cut = sealed.indexOf('\n')
  const text = sealed.slice(cut + 1)
  if (cut < 0 || digestOf(text) !== sealed.slice(0, cut)) return undefined
  const stored: StoredPlan = JSON.parse(text)
  return stored
}

/** Not at once: a process that waits for days may still import an older build. */
function forgetOld(folder: string, kept: readonly string[]): void {
  const limit = Date.now() - FORGOTTEN_AFTER
  for (const name of readdirSync(folder).filter((entry) => !kept.includes(entry))) {
    const path = join(folder, name)
    if (lstatSync(path).mtimeMs < limit) rmSync(path, { recursive: true, force: true })
  }
}
