import { basename, dirname, join } from 'node:path'

import type { Witness } from '../evidence.ts'
import { upward } from '../find/project-root.ts'

/** How Node reads a file: as an ES module, or as CommonJS unless its syntax says otherwise. */
export type ModuleType = 'module' | 'commonjs'

/** The package.json files that decide over local modules. */
export class PackageScopes {
  readonly #witness: Witness
  readonly #types = new Map<string, ModuleType>()

  constructor(witness: Witness) {
    this.#witness = witness
  }

  /** By extension, else by the nearest package.json. */
  typeOf(file: string): ModuleType {
    const [, letter] = /\.([mc])[jt]s$/u.exec(file) ?? []
    if (letter !== undefined) return letter === 'm' ? 'module' : 'commonjs'
    return this.#typeIn(dirname(file))
  }

  /**
   * Remembers which of the folders above `importer` have the package and which could have it.
   * Says whether one has.
   */
  hasPackage(importer: string, name: string): boolean {
    return upward(dirname(importer))
      .filter((folder) => basename(folder) !== 'node_modules')
      .some((folder) => this.#manifest(join(folder, 'node_modules', name)) !== undefined)
  }

  #typeIn(folder: string): ModuleType {
    const known = this.#types.get(folder)
    if (known !== undefined) return known
    const type = this.#findType(folder)
    this.#types.set(folder, type)
    return type
  }

  #findType(folder: string): ModuleType {
    if (basename(folder) === 'node_modules') return 'commonjs'
    const manifest = this.#manifest(folder)
    if (manifest !== undefined)
      return textField(manifest, 'type') === 'module' ? 'module' : 'commonjs'
    const above = dirname(folder)
    return above === folder ? 'commonjs' : this.#typeIn(above)
  }

  #manifest(folder: string): object | undefined {
    const text = this.#witness.read(join(folder, 'package.json'))
    if (text === undefined) return undefined
    try {
      const manifest: unknown = JSON.parse(text)
      return typeof manifest === 'object' && manifest !== null ? manifest : {}
    } catch {
      return {}
    }
  }
}

function textField(manifest: object, key: string): string | undefined {
  const value: unknown = Reflect.get(manifest, key)
  return typeof value === 'string' ? value : undefined
}
