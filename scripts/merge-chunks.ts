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
  readonly #ids: ReadonlyMap<string, number>

  constructor(graph: ChunkGraph, { outputFiles }: SplitBundle) {
    this.#chunks = graph.chunks
    this.#texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
    this.#groups = graph.together().map((members) => this.#group(members))
    this.#ids = new Map([...graph.chunks.keys()].map((path, id) => [path, id]))
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

  /** An entry keeps its names; those of other chunks may be the same. */
  #nameOf(path: string, name: string): string {
    return this.#isEntry(path) ? name : `${name}$${this.#ids.get(path)}`
  }

  #exports({ members }: Group): string {
    return members.map((path) => `import ${quote(path)};${this.#reexport(path, path)}`).join('\n')
  }

  /** Everything that a chunk exports, by its name outside, out of `from`. */
  #reexport(path: string, from: string, isInward = false): string {
    const names = (this.#chunks.get(path)?.exports ?? []).map((name) => {
      const outside = this.#nameOf(path, name)
      return isInward ? `${outside} as ${name}` : `${name} as ${outside}`
    })
    return `export{${names.join()}}from${quote(from)};`
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
    const home = this.#groups.find(({ members }) => members.includes(path))
    const link = relative(dirname(from.path), home?.path ?? path)
    return link.startsWith('.') ? link : `./${link}`
  }
}

function quote(text: string): string {
  return JSON.stringify(text)
}
