// From what Node, tsx or the flow threw while a flow was loading to one of our errors.

import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isHexagonError, messageOf } from '../../core/errors.ts'
import { nameIn } from './find/flow-file.ts'
import { textOf } from './find/flow-list.ts'
import { importCircle } from './import-circle.ts'
import { loadErrors } from './load-error.ts'
import { missingExport } from './missing-export.ts'
import type { Plan } from './plan.ts'

/** What is known about the load that failed. */
export interface FailedLoad {
  readonly file: string
  readonly root: string
  readonly plan: Plan
  /** What a look at the files had found to be wrong. */
  readonly fault: Error | undefined
}

type Explain = (error: Error, load: FailedLoad) => Error | undefined

const EXPLANATIONS: readonly Explain[] = [
  syntaxError,
  topLevelAwait,
  noSuchExport,
  missingModule,
  plainSyntaxError,
]

/** The error to show for a load that failed. Errors of ours, as of a graph's parts, stay as they are. */
export function explainFailure(thrown: unknown, load: FailedLoad): unknown {
  if (isHexagonError(thrown)) return thrown
  if (thrown instanceof Error) {
    for (const explain of EXPLANATIONS) {
      const error = explain(thrown, load)
      if (error !== undefined) return error
    }
  }
  const path = nameIn(load.root, load.file)
  return loadErrors.threw(path, thrown, {
    place: placeOf(thrown, load),
    hint: hintFor(thrown, load),
  })
}

/** tsx passes on only esbuild's text, which counts columns from 0. */
function syntaxError(error: Error, { root }: FailedLoad): Error | undefined {
  const match = /^(.*):(\d+):(\d+): ERROR: (.*)$/mu.exec(error.message)
  if (match === null || /Top-level await/u.test(error.message)) return undefined
  const [, file = '', line, column, problem = ''] = match
  return loadErrors.syntax({
    path: nameIn(root, file),
    problem,
    source: textOf(file),
    line: Number(line),
    column: Number(column) + 1,
  })
}

function topLevelAwait(error: Error, { file, root }: FailedLoad): Error | undefined {
  const isMeant =
    /Top-level await is currently not supported/u.test(error.message) ||
    codeOf(error) === 'ERR_REQUIRE_ASYNC_MODULE'
  if (!isMeant) return undefined
  const [, named] = /^(\/.*|[A-Za-z]:\\.*):\d+:\d+: ERROR:/mu.exec(error.message) ?? []
  return loadErrors.topLevelAwait(nameIn(root, named ?? file), error)
}

function noSuchExport(error: Error, load: FailedLoad): Error | undefined {
  const found = missingExport(error)
  if (found === undefined) return undefined
  const specifier = originalName(found.from, load)
  return loadErrors.missingExport(
    found.name,
    { specifier, importer: importerOf(error, load) },
    error,
  )
}

function missingModule(error: Error, load: FailedLoad): Error | undefined {
  const code = String(codeOf(error))
  const isMissing = code.endsWith('MODULE_NOT_FOUND')
  if (!isMissing && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined
  if (load.fault !== undefined) return load.fault
  const importer = nameOf(importerIn(error.message) ?? load.file, load)
  if (!isMissing)
    return loadErrors.notExported({ specifier: subpathIn(error.message), importer }, error)
  const [, what = '?'] = /^Cannot find (?:module|package) '(.+?)'/u.exec(error.message) ?? []
  return loadErrors.missing({ specifier: originalName(what, load), importer }, error)
}

/** As Node says it of an import, or lists it for a require. */
function importerIn(message: string): string | undefined {
  const [, imported] = /imported from (.+?)(?: - |$)/mu.exec(message) ?? []
  const [, required] = /^- (.+)$/mu.exec(message) ?? []
  return imported ?? required
}

/** The specifier that a package does not offer, put together from Node's words. */
function subpathIn(message: string): string {
  const [, subpath = '.'] = /subpath '\.(.*?)'/u.exec(message) ?? []
  const [, folder = '?'] = /.*node_modules[\\/](.+)[\\/]package\.json/u.exec(message) ?? []
  return subpath === '.' ? folder : folder + subpath
}

/** Node puts the place of a fault that it finds itself on the stack's first line. */
function plainSyntaxError(error: Error, load: FailedLoad): Error | undefined {
  if (error.name !== 'SyntaxError') return undefined
  if (load.fault !== undefined) return load.fault
  const match = /^(.+):(\d+)\n.*\n( *)\^/u.exec(error.stack ?? '')
  if (match === null) return undefined
  const [, place = '', line, blank = ''] = match
  const file = pathOf(place)
  if (!isAbsolute(file) || file.includes('node_modules')) return undefined
  return loadErrors.syntax({
    path: nameIn(load.root, file),
    problem: error.message,
    source: textOf(file),
    line: Number(line),
    column: blank.length + 1,
  })
}

/** The first place on the stack that is the project's own. */
function placeOf(thrown: unknown, { root, plan }: FailedLoad): string | undefined {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  for (const [, raw = '', line, column] of stack.matchAll(
    /\(?((?:file:\/\/)?\/[^()\n]*?|[A-Za-z]:\\[^()\n]*?):(\d+):(\d+)\)?$/gmu,
  )) {
    const file = pathOf(raw)
    if (plan.files.some(({ path }) => path === file))
      return `${nameIn(root, file)}:${line}:${column}`
  }
  return undefined
}

function hintFor(thrown: unknown, { root, plan }: FailedLoad): string | undefined {
  if (
    !/before initialization|undefined|is not a function|is not a constructor/u.test(
      messageOf(thrown),
    )
  ) {
    return undefined
  }
  const circle = importCircle(plan.files)
  if (circle === undefined) return undefined
  const way = circle.map((file) => nameIn(root, file)).join(' → ')
  return `These files import each other: ${way}. Move what both need into a third file.`
}

function importerOf(error: Error, load: FailedLoad): string {
  const [, place] = /^(.+?):\d+\n/u.exec(error.stack ?? '') ?? []
  return place === undefined ? nameIn(load.root, load.file) : nameOf(place, load)
}

/** A copy by its original; a path inside the project relative to it; a package as it is. */
function originalName(text: string, load: FailedLoad): string {
  const base = text.slice(text.lastIndexOf('/') + 1)
  const original = load.plan.originals[base]
  if (original !== undefined) return `./${nameIn(load.root, original)}`
  return /^(?:file:|\/)/u.test(text) ? nameOf(text, load) : text
}

function nameOf(place: string, { root, plan }: FailedLoad): string {
  const file = pathOf(place)
  const original = plan.originals[file.slice(file.lastIndexOf('/') + 1)]
  return nameIn(root, original ?? file)
}

function pathOf(place: string): string {
  const bare = place.replace(/\?.*$/u, '')
  return bare.startsWith('file:') ? fileURLToPath(bare) : bare
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined
}
