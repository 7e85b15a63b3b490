import { readFileSync, readdirSync, type Dirent } from 'node:fs'
import { extname, join } from 'node:path'

import { isFlowName, nameIn } from './flow-file.ts'

/** A file in the flows folder that looks as if it exported a flow; nothing of it was loaded. */
export interface ListedFlow {
  /** The path inside the flows folder without extension, without a last `/index`. */
  readonly name: string
  readonly file: string
  /** Relative to the project root. */
  readonly path: string
}

/** Where flows are looked for. */
export interface FlowsPlace {
  readonly root: string
  /** Relative to the root. */
  readonly flowsDir?: string | undefined
}

const EXPORTS_DEFAULT =
  /\bexport\s+default\b|\bas\s+default\b|\bexport\s*=|\bmodule\.exports\b|\bexports\.default\b/u

/** The flow files in the flows folder and below, by name. Steps and tests kept beside them are left out. */
export function listFlows({ root, flowsDir = 'flows' }: FlowsPlace): ListedFlow[] {
  const folder = join(root, flowsDir)
  return filesBelow(folder)
    .filter((file) => isFlowName(file) && !/\.(?:test|spec)\.[mc]?[jt]s$/u.test(file))
    .filter((file) => EXPORTS_DEFAULT.test(textOf(file)))
    .map((file) => ({ name: flowName(nameIn(folder, file)), file, path: nameIn(root, file) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The name that a flow's path inside the flows folder gives it. */
export function flowName(path: string): string {
  return path.slice(0, path.length - extname(path).length).replace(/\/index$/u, '')
}

/** The text of a file, or nothing where it can't be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return entry.isFile() || entry.isSymbolicLink() ? [path] : []
    return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : filesBelow(path)
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
