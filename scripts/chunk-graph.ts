import { resolve } from 'node:path'

import type { Metafile } from 'esbuild'

/** A file of a split bundle, as esbuild describes it. */
export type Chunk = Metafile['outputs'][string]

/** Which chunks of a split bundle are in memory when one of its entries runs. */
export class ChunkGraph {
  /** By absolute path. */
  readonly chunks: ReadonlyMap<string, Chunk>
  readonly #root: string
  readonly #closures: ReadonlyMap<string, ReadonlySet<string>>
  readonly #loaded = new Map<string, ReadonlySet<string>>()

  constructor(root: string, { outputs }: Metafile) {
    this.#root = root
    this.chunks = new Map(
      Object.entries(outputs).map(([path, chunk]) => [resolve(root, path), chunk]),
    )
    this.#closures = new Map(this.#entries().map((entry) => [entry, this.#closure(entry)]))
  }

  /** Chunks by the entries which have them in memory: two in one list are always there together. */
  together(): string[][] {
    const lists = new Map<string, string[]>()
    for (const chunk of this.chunks.keys()) {
      const key = this.#entries()
        .filter((entry) => this.#loadedBy(entry).has(chunk))
        .join()
      lists.set(key, [...(lists.get(key) ?? []), chunk])
    }
    return [...lists.values()]
  }

  /** What the entry imports, and what all who import it lazily have loaded before. */
  #loadedBy(entry: string): ReadonlySet<string> {
    const known = this.#loaded.get(entry)
    if (known !== undefined) return known
    const own = this.#closures.get(entry) ?? new Set()
    // For circles of lazy imports: where one begins, nothing more is known.
    this.#loaded.set(entry, own)
    const [first = new Set<string>(), ...others] = this.#importersOf(entry).map((importer) =>
      this.#loadedBy(importer),
    )
    const before = [...first].filter((chunk) => others.every((other) => other.has(chunk)))
    const loaded = new Set([...own, ...before])
    this.#loaded.set(entry, loaded)
    return loaded
  }

  #entries(): string[] {
    return [...this.chunks]
      .filter(([, { entryPoint }]) => entryPoint !== undefined)
      .map(([path]) => path)
  }

  #importersOf(entry: string): string[] {
    return [...this.#closures]
      .filter(([, closure]) =>
        [...closure].some((chunk) => this.#imports(chunk, 'dynamic-import').includes(entry)),
      )
      .map(([importer]) => importer)
  }

  #closure(entry: string): ReadonlySet<string> {
    const seen = new Set([entry])
    for (const chunk of seen) {
      for (const target of this.#imports(chunk, 'import-statement')) seen.add(target)
    }
    return seen
  }

  #imports(chunk: string, kind: string): string[] {
    const imports = this.chunks.get(chunk)?.imports ?? []
    return imports
      .filter((one) => one.kind === kind && one.external !== true)
      .map(({ path }) => resolve(this.#root, path))
  }
}
