import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'

const MARK = /__esModule|__exportStar/u
const PASSED_ON = /\bexports\s*=\s*require\(\s*(['"])(.+?)\1\s*\)/gu

/**
 * True for CommonJS that may have been compiled from an ES module: TypeScript then takes its `default`, Node
 * the whole. Files that only pass another one on are followed; what can't be read may be anything.
 */
export function mayBeTranspiled(file: string, seen: ReadonlySet<string> = new Set()): boolean {
  if (seen.has(file)) return false
  try {
    const text = readFileSync(file, 'utf8')
    if (MARK.test(text)) return true
    const { resolve } = createRequire(file)
    const within = new Set([...seen, file])
    return [...text.matchAll(PASSED_ON)].some(([, , specifier = '']) => {
      return !isBuiltin(specifier) && mayBeTranspiled(resolve(specifier), within)
    })
  } catch {
    return true
  }
}
