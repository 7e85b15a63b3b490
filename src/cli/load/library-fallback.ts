import Module, { register } from 'node:module'
import { pathToFileURL } from 'node:url'

import { isLibrarySpecifier, ownLibrary } from './library.ts'

type ResolveFilename = (request: string, ...rest: readonly unknown[]) => string

// Runs on Node's loader thread, which can't import from a bundle: so it comes as text of its own.
const HOOK = `
let files
export function initialize(data) { files = data }
export async function resolve(specifier, context, next) {
  const url = files.get(specifier)
  if (url === undefined) return next(specifier, context)
  try { return await next(specifier, context) }
  catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return { url, shortCircuit: true }
  }
}`

let required = false
let imported = false

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

/** The same for `import`. Starts Node's loader thread. */
export function lendLibraryToImport(): void {
  if (imported) return
  imported = true
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
