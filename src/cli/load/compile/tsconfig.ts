import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

import type { Witness } from '../evidence.ts'
import { upward } from '../find/project-root.ts'

/** What resolution needs of a tsconfig.json; the transform reads the rest by itself. */
export interface Tsconfig {
  readonly path: string
  /** Patterns with one `*` at most, and where they may lead. */
  readonly paths: readonly Alias[]
  readonly baseUrl: string | undefined
}

interface Alias {
  readonly pattern: string
  readonly targets: readonly string[]
}

type Resolution = Pick<Tsconfig, 'baseUrl'> & { readonly paths: readonly Alias[] | undefined }

/** The nearest tsconfig.json of a file, or the one that is named. */
export function findTsconfig(
  file: string,
  named: string | undefined,
  witness: Witness,
): Tsconfig | undefined {
  const candidates = upward(dirname(file)).map((folder) => join(folder, 'tsconfig.json'))
  const path = named ?? candidates.find((candidate) => witness.finds(candidate))
  if (path === undefined || !witness.finds(path)) return undefined
  const reader = new ChainReader(path, witness)
  const { baseUrl, paths } = reader.read(path)
  return { path, baseUrl, paths: paths ?? [] }
}

/** The paths that a specifier may stand for, best first; none when no alias fits. */
export function aliasTargets({ paths, baseUrl }: Tsconfig, specifier: string): string[] {
  const fitting = paths
    .filter(({ pattern }) => wildcard(pattern, specifier) !== undefined)
    .toSorted((a, b) => rank(b.pattern) - rank(a.pattern))[0]
  const star = fitting === undefined ? undefined : wildcard(fitting.pattern, specifier)
  const targets = fitting?.targets.map((target) => target.replace('*', () => star ?? '')) ?? []
  return baseUrl === undefined ? targets : [...targets, join(baseUrl, specifier)]
}

/** Reads a config and what it extends; each file counts once, so a circle ends. */
class ChainReader {
  readonly #root: string
  readonly #witness: Witness
  readonly #read = new Set<string>()

  constructor(path: string, witness: Witness) {
    this.#root = dirname(path)
    this.#witness = witness
  }

  read(path: string): Resolution {
    const text = this.#read.has(path) ? undefined : this.#witness.read(path)
    this.#read.add(path)
    const config = text === undefined ? undefined : parse(text)
    if (config === undefined) return { baseUrl: undefined, paths: undefined }
    const parents = [config.extends ?? []].flat().map((parent) => this.#extended(path, parent))
    const own = this.#ownPart(path, config)
    return [...parents, own].reduce((merged, part) => ({
      baseUrl: part.baseUrl ?? merged.baseUrl,
      paths: part.paths ?? merged.paths,
    }))
  }

  #extended(from: string, name: string): Resolution {
    const file = this.#fileOf(from, name)
    return file === undefined ? { baseUrl: undefined, paths: undefined } : this.read(file)
  }

  #fileOf(from: string, name: string): string | undefined {
    if (/^\.{0,2}\//u.test(name) || name === '..' || name === '.') {
      const path = resolve(dirname(from), name)
      return [path, `${path}.json`, join(path, 'tsconfig.json')].find((file) =>
        this.#witness.finds(file),
      )
    }
    const { resolve: find } = createRequire(from)
    for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
      try {
        return find(candidate)
      } catch {
        // The next spelling may be the right one; the transform complains about a missing one.
      }
    }
    return undefined
  }

  #ownPart(path: string, { compilerOptions = {} }: Config): Resolution {
    const place = (target: string, base: string): string =>
      resolve(
        base,
        target.replace('${configDir}', () => this.#root),
      )
    const { baseUrl: given, paths } = compilerOptions
    const baseUrl = given === undefined ? undefined : place(given, dirname(path))
    return {
      baseUrl,
      paths:
        paths &&
        Object.entries(paths).map(([pattern, targets]) => ({
          pattern,
          targets: [targets].flat().map((target) => place(target, baseUrl ?? dirname(path))),
        })),
    }
  }
}

interface Config {
  readonly extends?: string | readonly string[]
  readonly compilerOptions?: {
    readonly baseUrl?: string
    readonly paths?: Readonly<Record<string, string | readonly string[]>>
  }
}

/** JSON with comments and trailing commas; a config that is neither is left to the transform. */
function parse(text: string): Config | undefined {
  const bare = text
    .replaceAll(
      /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu,
      (_, string?: string) => string ?? '',
    )
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/gu, (_, string?: string) => string ?? '')
  try {
    const config: Config | null = JSON.parse(bare.replace(/^\ufeff/u, ''))
    return config ?? undefined
  } catch {
    return undefined
  }
}

/** What `*` stands for; empty for an exact pattern; undefined when the pattern does not fit. */
function wildcard(pattern: string, specifier: string): string | undefined {
  const at = pattern.indexOf('*')
  if (at < 0) return pattern === specifier ? '' : undefined
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)]
  const fits = specifier.startsWith(before) && specifier.endsWith(after)
  if (!fits || specifier.length < before.length + after.length) return undefined
  return specifier.slice(before.length, specifier.length - after.length)
}

/** An exact pattern before any other, then the longest text before the `*`. */
function rank(pattern: string): number {
  const at = pattern.indexOf('*')
  return at < 0 ? Number.POSITIVE_INFINITY : at
}
