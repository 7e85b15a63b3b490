import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { HexagonError } from '../../../core/errors.ts'

/** Where a command was started, and what it was told about that. */
export interface RootRequest {
  /** The real current directory. */
  readonly cwd: string
  /** `--cwd` or HEXAGON_CWD: it is the root, nothing is searched. */
  readonly chosen?: string | undefined
  readonly home?: string
}

/**
 * The project's folder: the chosen one, or the first from `cwd` upward that has `.hexagon`, a
 * `hexagon.config.*` or a package.json that names hexagon; without one, `cwd` itself. The home folder is
 * never taken on the way up, and nothing above a repository is looked at.
 *
 * @throws HexagonError E1105 when the chosen folder does not exist.
 */
export function findRoot({ cwd, chosen, home = homedir() }: RootRequest): string {
  if (chosen !== undefined) return chosenRoot(resolve(cwd, chosen))
  for (const folder of upward(cwd)) {
    if (folder === home && folder !== cwd) break
    if (isMarked(folder)) return folder
    if (existsSync(join(folder, '.git'))) break
  }
  return cwd
}

/** The folder and every folder above it. */
export function upward(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upward(above)]
}

function chosenRoot(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new HexagonError('E1105', `There is no directory ${folder}`, {
    hint: 'Give an existing directory to --cwd (HEXAGON_CWD).',
    details: { path: folder },
  })
}

function isMarked(folder: string): boolean {
  return existsSync(join(folder, '.hexagon')) || hasConfig(folder) || isNamedIn(folder)
}

function hasConfig(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^hexagon\.config\.(?:[mc]?[jt]s|json)$/u.test(name))
  } catch {
    // A folder that may be entered but not listed has nothing that could be read anyway.
    return false
  }
}

function isNamedIn(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return namesHexagon(manifest)
  } catch {
    // No package.json, or one that npm has to complain about.
    return false
  }
}

function namesHexagon(manifest: unknown): boolean {
  if (typeof manifest !== 'object' || manifest === null) return false
  const sections = ['dependencies', 'devDependencies', 'peerDependencies']
  return (
    'hexagon' in manifest ||
    sections.some((section) => {
      const packages: unknown = Reflect.get(manifest, section)
      return typeof packages === 'object' && packages !== null && 'hexagon' in packages
    })
  )
}
