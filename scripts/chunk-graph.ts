import { resolve } from 'node:path'

import type { Metafile } from 'esbuild'

/** A file of a split bundle, as esbuild describes it. */
export type Chunk = Metafile['outputs'][string]

/** Chunks for one file, and the entries which have them in memory when they run. */
interface Group {
  readonly entries: ReadonlySet<string>
  readonly members: string[]
}

/** A file costs as much as reading this many bytes more. */
const SMALL = 8_000

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

  /**
   * Chunks that go into one file: those that are always in memory together, and with them small ones that
   * sometimes are there for nothing.
   */
  groups(): readonly (readonly string[])[] {
    let groups = this.#together()
    const bySize = groups.toSorted((a, b) => this.#bytes(a) - this.#bytes(b))
    for (const small of bySize) {
      const host = this.#isSmall(small) ? this.#hostOf(small, groups) : undefined
      if (host === undefined) continue
      host.members.push(...small.members)
      groups = groups.filter((group) => group !== small)
    }
    return groups.map(({ members }) => members)
  }

  #together(): Group[] {
    const groups = new Map<string, Group>()
    for (const chunk of this.chunks.keys()) {
      const entries = this.#entries().filter((entry) => this.#loadedBy(entry).has(chunk))
      const group = groups.get(entries.join()) ?? { entries: new Set(entries), members: [] }
      groups.set(entries.join(), group)
      group.members.push(chunk)
    }
    return [...groups.values()]
  }

  #isSmall(group: Group): boolean {
    return this.#bytes(group) < SMALL && !group.members.some((path) => this.#isEntry(path))
  }

  /** The rarest file that is there whenever the group is, and before all that imports the group. */
  #hostOf(small: Group, groups: readonly Group[]): Group | undefined {
    return groups
      .filter((host) => host !== small && isWithin(small.entries, host.entries))
      .filter((host) => this.#canHold(host, small) && this.#isWorth(host, small))
      .toSorted((a, b) => a.entries.size - b.entries.size)[0]
  }

  /** Whether less is lost where the group is not needed than a file saves where it is. */
  #isWorth(host: Group, small: Group): boolean {
    const idle = host.entries.size - small.entries.size
    return idle * this.#bytes(small) < small.entries.size * SMALL
  }

  /** Whether all that the group imports lies in the host or behind it: no circle comes of it. */
  #canHold(host: Group, small: Group): boolean {
    const behind = new Set(host.members.flatMap((path) => [...this.#closure(path)]))
    const own = new Set([...behind, ...small.members])
    return small.members.every((path) => isWithin(this.#closure(path), own))
  }

  #bytes({ members }: Group): number {
    return members.reduce((bytes, path) => bytes + (this.chunks.get(path)?.bytes ?? 0), 0)
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
    return [...this.chunks.keys()].filter((path) => this.#isEntry(path))
  }

  #isEntry(path: string): boolean {
    return this.chunks.get(path)?.entryPoint !== undefined
  }

  #importersOf(entry: string): string[] {
    return [...this.#closures]
      .filter(([, closure]) =>
        [...closure].some((chunk) => this.#imports(chunk, 'dynamic-import').includes(entry)),
      )
      .map(([importer]) => importer)
  }

  #closure(from: string): ReadonlySet<string> {
    const seen = new Set([from])
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

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((item) => whole.has(item))
}
