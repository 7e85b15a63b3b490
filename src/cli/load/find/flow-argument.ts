// From what a person typed to one file and one export of it.

import { closeSync, openSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'

import { argumentErrors as refuse } from './argument-error.ts'
import { FLOW_EXTENSIONS, isDirectory, isFile, isFlowName, nameIn } from './flow-file.ts'
import { listFlows, type FlowsPlace, type ListedFlow } from './flow-list.ts'

/** A flow as a person names it, and where they stand. */
export interface FlowArgument extends FlowsPlace {
  readonly argument: string
  /** The real current directory, which paths are relative to. */
  readonly cwd: string
}

/** A file that is there and can be read, and the export that is meant. */
export interface FlowPlace {
  readonly file: string
  readonly exportName: string
}

/** What an argument may mean: one file, or none by its name, so that the flows themselves must be asked. */
export type Located =
  | ({ readonly kind: 'file' } & FlowPlace)
  | { readonly kind: 'name'; readonly name: string; readonly exportName: string }

/**
 * Finds the file that a flow argument means: a path, a file in the flows folder, or an index in it.
 *
 * @throws HexagonError E1103 to E1106, E1117
 */
export function locateFlow(request: FlowArgument): Located {
  if (request.argument === '-') throw refuse.notAFlowFile(request.argument)
  const { path, exportName } = splitExport(request)
  const file = path === '' ? undefined : (byPath(request, path) ?? inFlows(request, path))
  if (file === undefined) return { kind: 'name', name: path, exportName }
  return { kind: 'file', file: checked(request, file), exportName }
}

/** The error for an argument that no file and no flow's name fits. */
export function notFound(request: FlowArgument, name: string): Error {
  const folder = join(request.root, request.flowsDir ?? 'flows')
  const path = resolve(request.cwd, name)
  const directory = name === '' ? undefined : [path, join(folder, name)].find(isDirectory)
  if (directory !== undefined) return refuse.directory(nameIn(request.root, directory))
  if (isFile(path) || /\.(?:txt|md|json|ya?ml|toml|py|go|sh|html|css|[jt]sx)$/u.test(name)) {
    return refuse.notAFlowFile(name)
  }
  const isPath = name.includes('/') || isFlowName(name)
  if (!isPath && !isDirectory(folder)) return refuse.noFlowsFolder(request.root, folder)
  return refuse.notFound(request, listFlows(request))
}

/** A name may contain `#`: only what is no file is split. */
function splitExport({ argument, cwd }: FlowArgument): { path: string; exportName: string } {
  const mark = argument.lastIndexOf('#')
  if (mark <= 0 || isFile(resolve(cwd, argument))) return { path: argument, exportName: 'default' }
  return { path: argument.slice(0, mark), exportName: argument.slice(mark + 1) || 'default' }
}

/** Also without its extension, and also from the root: commands print paths that way. */
function byPath(request: FlowArgument, path: string): string | undefined {
  const isPath = path.includes('/') || isFlowName(path)
  const bases = isPath && !isAbsolute(path) ? [request.cwd, request.root] : [request.cwd]
  for (const base of bases) {
    const full = resolve(base, path)
    if (isFile(full) && (isPath || isFlowName(path))) return full
    const found = isPath ? variants(full)[0] : indexes(full)[0]
    if (found !== undefined) return found
  }
  return undefined
}

function inFlows(request: FlowArgument, path: string): string | undefined {
  if (isAbsolute(path) || path.split('/').includes('..')) return undefined
  const exact = join(request.root, request.flowsDir ?? 'flows', path)
  if (isFile(exact) && isFlowName(exact)) return exact
  const found = new Set([...variants(exact), ...sameName(request, path)])
  if (found.size > 1)
    throw refuse.ambiguous(
      path,
      [...found].map((file) => nameIn(request.root, file)),
    )
  return [...found][0]
}

/** A bare name means a flow in any folder below, so two of one name are never guessed between. */
function sameName(request: FlowArgument, name: string): string[] {
  if (name.includes('/')) return []
  const isMeant = (flow: ListedFlow): boolean => basename(flow.name) === name
  return listFlows(request)
    .filter(isMeant)
    .map(({ file }) => file)
}

function variants(path: string): string[] {
  return [...FLOW_EXTENSIONS.map((extension) => path + extension), ...indexes(path)].filter(isFile)
}

function indexes(path: string): string[] {
  return FLOW_EXTENSIONS.map((extension) => join(path, `index${extension}`)).filter(isFile)
}

function checked(request: FlowArgument, file: string): string {
  const name = nameIn(request.root, file)
  if (!isFlowName(file)) throw refuse.notAFlowFile(name)
  if (file.includes('?')) throw refuse.questionMark(name)
  try {
    closeSync(openSync(file, 'r'))
  } catch (cause) {
    throw refuse.unreadable(name, cause)
  }
  return file
}
