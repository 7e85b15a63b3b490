import Module, { register } from 'node:module'
import { pathToFileURL } from 'node:url'

import { isLibrarySpecifier, ownLibrary } from './library.ts'

type ResolveFilename = (request: string, ...rest: readonly unknown[]) => string

// Runs on Node's loader thread, which can't import from a bundle: so it comes as text of its own.
//
// tsx hands CommonJS to Node as a data: URL that carries the file's path. Node can't resolve `import('./x')`
// in such a place; from the file itself, and in the namespace of that load, tsx can.
const HOOK = `
import { pathToFileURL } from 'node:url'
let library
export function initialize(data) { library = data }
export async function resolve(specifier, context, next) {
  const [, carried] = /^data:.*[?]filePath=([^?&]+)$/.exec(context.parentURL ?? '') ?? []
  if (carried !== undefined) {
    const [path, namespace] = decodeURIComponent(carried).split('?namespace=')
    const parentURL = pathToFileURL(path).href + '?tsx-namespace=' + namespace
    return next(specifier, { ...context, parentURL })
  }
  const url = library.get(specifier)
  if (url === undefined) return next(specifier, context)
  try { return await next(specifier, context) }
  catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return { url, shortCircuit: true }
  }
}`

let required = false

/** From now on `require('hexagon')` finds this command's library where a project has none. */
export function lendLibraryToRequire(): void {
  if (required) return
  required = true
  const original: unknown = Reflect.get(Module, '_resolveFilename')
  if (!isResolver(original)) return
  const resolve: ResolveFilename = (request, ...rest) => {
    const own = isLibrarySpecifier(request) ? ownLibrary().files.get(request) : undefined
    if (own === undefined) return Reflect.apply(original, Module, [request, ...rest])
    try {
      return Reflect.apply(original, Module, [request, ...rest])
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error
      return own
    }
  }
  Reflect.set(Module, '_resolveFilename', resolve)
}

/** The same for `import` in what tsx was just asked to load: the hook has to come after its own. */
export function lendLibraryToTsx(): void {
  const urls = [...ownLibrary().files].map(
    ([name, file]) => [name, pathToFileURL(file).href] as const,
  )
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`, { data: new Map(urls) })
}

function isResolver(value: unknown): value is ResolveFilename {
  return typeof value === 'function'
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
