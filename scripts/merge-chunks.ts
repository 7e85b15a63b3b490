// Fewer files of a split bundle. esbuild makes a chunk for each set of entries that share code, and counts
// a lazily imported module as an entry of its own. But what such a module shares with whoever imports it is
// in memory by then: seen like that, most small chunks belong to the same set, and one file can hold them.

import { dirname, relative, resolve } from 'node:path'

import { build, type BuildResult, type OnResolveArgs, type Plugin } from 'esbuild'

import { ChunkGraph, type Chunk } from './chunk-graph.ts'

/** A split bundle in memory. */
export type SplitBundle = BuildResult<{ write: false; metafile: true }>

/** A file of the bundle as it is to be written. */
export interface MergedFile {
  readonly path: string
  readonly text: string
}

interface Group {
  /** Where the merged file lies: at its entry, if it has one. */
  readonly path: string
  readonly members: readonly string[]
}

/** The bundle, with chunks that are always in memory together in one file. */
export function mergeChunks(root: string, bundle: SplitBundle): Promise<MergedFile[]> {
  const merger = new Merger(new ChunkGraph(root, bundle.metafile), bundle)
  return merger.merge()
}

class Merger {
  readonly #chunks: ReadonlyMap<string, Chunk>
  readonly #texts: ReadonlyMap<string, string>
  readonly #groups: readonly Group[]
  /** What other files import of each chunk, by its name in the bundle. */
  readonly #used = new Map<string, Map<string, string>>()
  #count = 0

  constructor(graph: ChunkGraph, { outputFiles }: SplitBundle) {
    this.#chunks = graph.chunks
    this.#texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
    this.#groups = graph.groups().map((members) => this.#group(members))
    for (const path of this.#texts.keys()) this.#noteImports(path)
  }

  merge(): Promise<MergedFile[]> {
    return Promise.all(
      this.#groups.map(async (group) => {
        const { outputFiles } = await build({
          stdin: { contents: this.#exports(group), resolveDir: dirname(group.path) },
          outfile: group.path,
          bundle: true,
          format: 'esm',
          platform: 'node',
          target: 'node20.19',
          minifyWhitespace: true,
          minifySyntax: true,
          legalComments: 'none',
          logLevel: 'warning',
          logOverride: { 'ignored-bare-import': 'silent' },
          write: false,
          plugins: [this.#membersOf(group)],
        })
        return { path: group.path, text: outputFiles.map(({ text }) => text).join('') }
      }),
    )
  }

  #group(members: readonly string[]): Group {
    const entries = members.filter((path) => this.#isEntry(path))
    if (entries.length > 1) throw new Error(`one file can't be several: ${entries.join(', ')}`)
    const [path = ''] = [...entries, ...members]
    return { path, members }
  }

  #isEntry(path: string): boolean {
    return this.#chunks.get(path)?.entryPoint !== undefined
  }

  #exports({ members }: Group): string {
    return members.map((path) => `import ${quote(path)};${this.#reexport(path, path)}`).join('\n')
  }

  /** What others import of a chunk, out of `from`. An entry gives all it has, by its own names. */
  #reexport(path: string, from: string, isInward = false): string {
    const { exports = [] } = this.#chunks.get(path) ?? {}
    const used = this.#isEntry(path)
      ? exports.map((name) => [name, name] as const)
      : [...(this.#used.get(path) ?? [])]
    const names = used.map(([name, outside]) =>
      isInward ? `${outside} as ${name}` : `${name} as ${outside}`,
    )
    return `export{${names.join()}}from${quote(from)};`
  }

  #noteImports(path: string): void {
    const text = this.#texts.get(path) ?? ''
    for (const [, names = '', target = ''] of text.matchAll(
      /import\{([^{}]*)\}from"(\.[^"]+)"/gu,
    )) {
      const from = resolve(dirname(path), target)
      if (this.#homeOf(from) === this.#homeOf(path)) continue
      const used = this.#used.get(from) ?? new Map<string, string>()
      this.#used.set(from, used)
      for (const name of names.split(',').map((part) => part.split(' as ', 1).join())) {
        // Two chunks of one file may use the same name for different things.
        if (!used.has(name)) used.set(name, `$${(this.#count++).toString(36)}`)
      }
    }
  }

  #membersOf(group: Group): Plugin {
    return {
      name: 'members',
      setup: (bundler) => {
        bundler.onResolve({ filter: /^[./]/ }, (args) => this.#resolve(args, group))
        bundler.onLoad({ filter: /./, namespace: 'inside' }, ({ path }) => ({
          contents: this.#texts.get(path) ?? '',
          resolveDir: dirname(path),
        }))
        bundler.onLoad({ filter: /./, namespace: 'outside' }, ({ path }) => ({
          contents: this.#reexport(path, `=${this.#linkTo(path, group)}`, true),
        }))
        bundler.onResolve({ filter: /^=/ }, ({ path }) => ({ path: path.slice(1), external: true }))
        bundler.onResolve({ filter: /^[^./=]/ }, ({ path }) => ({ path, external: true }))
      },
    }
  }

  #resolve({ path: asked, resolveDir, kind }: OnResolveArgs, group: Group): object {
    const path = resolve(resolveDir, asked)
    if (kind === 'dynamic-import') return { path: this.#linkTo(path, group), external: true }
    if (group.members.includes(path)) return { path, namespace: 'inside' }
    return { path, namespace: 'outside', sideEffects: false }
  }

  #linkTo(path: string, from: Group): string {
    const link = relative(dirname(from.path), this.#homeOf(path)?.path ?? path)
    return link.startsWith('.') ? link : `./${link}`
  }

  #homeOf(path: string): Group | undefined {
    return this.#groups.find(({ members }) => members.includes(path))
  }
}

function quote(text: string): string {
  return JSON.stringify(text)
}
