import { textOf } from './find/flow-list.ts'
import type { Plan } from './plan.ts'

/** A name that a module was asked for and does not have. Nothing has run yet when Node says so. */
export interface MissingExport {
  readonly name: string
  /** As it was asked for: a specifier, or a copy's path. */
  readonly from: string
  readonly isFromCommonJs: boolean
}

const FROM_MODULE = /^The requested module '(.+)' does not provide an export named '(.+)'$/mu
const FROM_COMMONJS = /^Named export '(.+)' not found. The requested module '(.+)' is a CommonJS/mu

/** Reads Node's error; undefined for any other. */
export function missingExport(error: unknown): MissingExport | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  const [, from, name] = FROM_MODULE.exec(error.message) ?? []
  if (from !== undefined && name !== undefined) return { name, from, isFromCommonJs: false }
  const [, named, commonJs] = FROM_COMMONJS.exec(error.message) ?? []
  if (named === undefined || commonJs === undefined) return undefined
  return { name: named, from: commonJs, isFromCommonJs: true }
}

/**
 * True where TypeScript's CommonJS goes on without the name: it is only a type that is passed on, or a
 * package sets it while it runs.
 */
export function mayGoWithout({ name, from, isFromCommonJs }: MissingExport, plan: Plan): boolean {
  if (isFromCommonJs) return true
  const original = plan.originals[from.slice(from.lastIndexOf('/') + 1)]
  const text = original === undefined ? '' : textOf(original)
  return new RegExp(`\\b(?:type|interface)\\s+${name.replaceAll('$', '\\$')}\\b`, 'u').test(text)
}
