import { isBuiltin } from 'node:module'
import { dirname, extname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Witness } from '../evidence.ts'
import { isLibrarySpecifier, ownLibrary } from '../library.ts'
import { isPath, packageNameOf } from '../load-error.ts'
import type { FindPackage, ImportRecord } from './import-record.ts'
import { findModule, isTypeScript } from './module-file.ts'
import type { PackageScopes } from './package-scope.ts'
import { aliasTargets, type Tsconfig } from './tsconfig.ts'

/** Where an import leads. `exact` says that Node, left alone, goes to the same place. */
export type Target =
  /** Node's own, or data: the same from everywhere. */
  | { readonly kind: 'anywhere' }
  /** A file of the project, or TypeScript of a package: it is compiled. */
  | { readonly kind: 'module'; readonly file: string; readonly exact: boolean }
  /** JavaScript of a package: it stays where it is. */
  | { readonly kind: 'package'; readonly file: string; readonly exact: boolean }
  | { readonly kind: 'missing'; readonly hasPackage: boolean }
  /** A query, an escape: tsx knows what is meant. */
  | { readonly kind: 'opaque' }

/** What decides where imports lead. */
export interface Surroundings {
  readonly witness: Witness
  readonly scopes: PackageScopes
  readonly tsconfig: Tsconfig | undefined
}

/** Asks for one import of one file. */
export interface ImportRequest {
  readonly record: ImportRecord
  readonly importer: string
  readonly find: FindPackage
}

/** Finds what an import means, in the order of tsx: paths, then aliases, then packages. */
export async function findTarget(request: ImportRequest, around: Surroundings): Promise<Target> {
  const { specifier } = request.record
  if (isBuiltin(specifier) || /^(?:data|https?|node):/u.test(specifier)) return { kind: 'anywhere' }
  if (isPath(specifier)) return byPath(request, around)
  return byAlias(request, around) ?? (await byPackage(request, around))
}

function byPath({ record, importer }: ImportRequest, { witness }: Surroundings): Target {
  const { specifier } = record
  if (/[?#%]/u.test(specifier)) return { kind: 'opaque' }
  const path = pathOf(specifier, importer)
  const file = findModule(path, importer, witness)
  if (file === undefined) return { kind: 'missing', hasPackage: false }
  return local(file, witness, file === path)
}

/** A closing slash stays: it means a folder even where a file has the name. */
function pathOf(specifier: string, importer: string): string {
  const isUrl = specifier.startsWith('file:')
  const path = isUrl ? fileURLToPath(specifier) : resolve(dirname(importer), specifier)
  return /(?:^|\/)\.{0,2}$/u.test(specifier) ? path + sep : path
}

function byAlias({ record, importer }: ImportRequest, around: Surroundings): Target | undefined {
  const { witness, tsconfig } = around
  if (tsconfig === undefined || isInstalled(importer)) return undefined
  for (const path of aliasTargets(tsconfig, record.specifier)) {
    const file = findModule(path, importer, witness)
    if (file !== undefined) return local(file, witness, false)
  }
  return undefined
}

async function byPackage(
  request: ImportRequest,
  { witness, scopes }: Surroundings,
): Promise<Target> {
  const { record, importer, find } = request
  const { specifier, kind } = record
  const hasPackage = scopes.hasPackage(importer, packageNameOf(specifier))
  const file = await find(specifier, kind)
  if (isLibrarySpecifier(specifier)) return library(specifier, file, witness)
  if (file === undefined) return { kind: 'missing', hasPackage }
  witness.finds(file)
  const isOurs = specifier.startsWith('#') && !isInstalled(file)
  if (isOurs || isTypeScript(file) || extname(file) === '.json') return local(file, witness, isOurs)
  return { kind: 'package', file, exact: true }
}

/** A project without the library gets the one of this command. */
function library(specifier: string, found: string | undefined, witness: Witness): Target {
  const file = found ?? ownLibrary().files.get(specifier)
  if (file === undefined) return { kind: 'missing', hasPackage: true }
  witness.finds(file)
  return { kind: 'package', file, exact: found !== undefined }
}

/** JSON and TypeScript are never exact: Node 20 wants an attribute for one and refuses the other. */
function local(path: string, witness: Witness, exact: boolean): Target {
  const file = witness.follow(path)
  return { kind: 'module', file, exact: exact && /\.[mc]?js$/u.test(file) }
}

function isInstalled(file: string): boolean {
  return file.includes(`${sep}node_modules${sep}`)
}
