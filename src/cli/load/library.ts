// The library that comes with this command: what `hexagon` means in a flow whose project has none.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { upward } from './find/project-root.ts'

/** The package that this code belongs to. */
export interface Library {
  readonly root: string
  readonly version: string
  /** The file behind each specifier, `hexagon` and `hexagon/…`. */
  readonly files: ReadonlyMap<string, string>
}

type Target = string | Readonly<Record<string, string>>

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly exports?: Readonly<Record<string, Target>>
}

const NAME = 'hexagon'
let own: Library | undefined

/** True for `hexagon` and everything below it. */
export function isLibrarySpecifier(specifier: string): boolean {
  return specifier === NAME || specifier.startsWith(`${NAME}/`)
}

/** This command's own package. */
export function ownLibrary(): Library {
  own ??= readLibrary()
  return own
}

/** The version of the library that a file belongs to. */
export function libraryVersion(file: string): string | undefined {
  return manifests(file).find(([, { name }]) => name === NAME)?.[1].version
}

/** True unless a flow's library and this command differ in their first number. */
export function isSameMajor(version: string): boolean {
  return version.split('.')[0] === ownLibrary().version.split('.')[0]
}

/** The conditions this process was started with, by flag or by NODE_OPTIONS. */
export function userConditions(): string[] {
  const words = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/u)]
  return words.flatMap((word, index) => {
    const [flag = '', value] = word.split('=', 2)
    if (flag !== '-C' && flag !== '--conditions') return []
    return value ?? words[index + 1] ?? []
  })
}

function readLibrary(): Library {
  const here = fileURLToPath(import.meta.url)
  const [root, manifest] = manifests(here).find(([, { name }]) => name === NAME) ?? []
  if (root === undefined) throw new Error(`no package.json of ${NAME} above ${here}`)
  const files = Object.entries(manifest?.exports ?? {}).map(
    ([subpath, target]) => [NAME + subpath.slice(1), join(root, choose(target))] as const,
  )
  return { root, version: manifest?.version ?? '0.0.0', files: new Map(files) }
}

/** The package.json files above a file, nearest first. */
function manifests(file: string): [root: string, manifest: Manifest][] {
  return upward(dirname(file)).flatMap((root) => {
    const manifest = readManifest(join(root, 'package.json'))
    return manifest === undefined ? [] : [[root, manifest]]
  })
}

function choose(target: Target): string {
  if (typeof target === 'string') return target
  const conditions = new Set([...userConditions(), 'node', 'import', 'default'])
  const key = Object.keys(target).find((name) => conditions.has(name))
  return target[key ?? 'default'] ?? ''
}

function readManifest(path: string): Manifest | undefined {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'))
    return manifest
  } catch {
    return undefined
  }
}
