// Follows the imports of a flow through its project.
//
// What it finds is a proposal: every doubt about whether a compiled copy would do exactly what tsx does is
// written down, and with a doubt the flow goes to tsx.

import { createRequire } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'

import type { Witness } from '../evidence.ts'
import { nameIn } from '../find/flow-file.ts'
import { isLibrarySpecifier, isSameMajor, libraryVersion, ownLibrary } from '../library.ts'
import { isPath, loadErrors } from '../load-error.ts'
import { readImports, type FindPackage, type ImportRecord, type Reading } from './import-record.ts'
import { findModule, isTypeScript } from './module-file.ts'
import { compileSource, type CompileOptions, type Script, type Source } from './source.ts'
import { findTarget, type Surroundings, type Target } from './target.ts'
import { mayBeTranspiled } from './transpiled.ts'

/** A local file that was read. */
export interface Module {
  readonly source: Source
  readonly script: Script
  readonly reading: Reading
  /** By specifier. */
  readonly targets: ReadonlyMap<string, Target>
  /** CommonJS in JavaScript: Node runs it where it is. */
  readonly stays: boolean
}

/** Everything local that a flow may load. */
export interface ModuleGraph {
  readonly entry: string
  readonly modules: ReadonlyMap<string, Module>
  /** Why only tsx would be exact; empty when a compiled copy is. */
  readonly doubts: readonly string[]
  /** What is wrong with the files, should tsx stumble over them, too. */
  readonly fault: Error | undefined
}

/** What following imports takes. */
export interface GraphOptions extends CompileOptions, Surroundings {
  readonly conditions: readonly string[]
}

/** Reads a flow file and every local file it may load. @throws HexagonError E1107, E1112 */
export async function readModules(entry: string, options: GraphOptions): Promise<ModuleGraph> {
  const walk = new Walk(options)
  let level = [entry]
  while (level.length > 0) level = await walk.readAll(level)
  return walk.graph(entry)
}

class Walk {
  readonly #options: GraphOptions
  readonly #known = new Set<string>()
  readonly #modules = new Map<string, Module>()
  readonly #doubts: string[] = []
  #fault: Error | undefined

  constructor(options: GraphOptions) {
    this.#options = options
  }

  /** Sorted, so that the same files give the same graph in whatever order they were read. */
  graph(entry: string): ModuleGraph {
    this.#judgeStaying()
    const modules = [...this.#modules].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return { entry, modules: new Map(modules), doubts: this.#doubts, fault: this.#fault }
  }

  /** Reads files side by side; gives the files they import that nobody has read. */
  async readAll(files: readonly string[]): Promise<string[]> {
    for (const file of files) this.#known.add(file)
    const found = await Promise.all(files.map((file) => this.#read(file)))
    return [...new Set(found.flat())].filter((file) => !this.#known.has(file))
  }

  async #read(file: string): Promise<string[]> {
    const { witness, scopes } = this.#options
    const source = { file, text: witness.read(file) ?? '', type: scopes.typeOf(file) }
    const script = await this.#compile(source)
    if (script === undefined) return []
    const targets = new Map<string, Target>()
    const reading = await readImports(
      this.#options.compiler,
      { file, code: script.code, conditions: this.#options.conditions },
      async (record, find) => {
        targets.set(record.specifier, await this.#target(record, file, find))
      },
    )
    const stays = staysWhereItIs(source, reading)
    const module: Module = { source, script, reading, targets, stays }
    this.#modules.set(file, module)
    this.#judge(module)
    return localTargets(module)
  }

  async #compile(source: Source): Promise<Script | undefined> {
    try {
      return await compileSource(source, this.#options)
    } catch (error) {
      // Sloppy CommonJS may hold what no ES module can: a return at its top, `with`.
      const mayBeSloppy = source.type === 'commonjs' && /\.c?js$/u.test(source.file)
      if (!mayBeSloppy || /^\s*(?:import|export)\b/mu.test(source.text)) throw error
      this.#doubt(source.file, 'is not a module')
      this.#fault ??= error instanceof Error ? error : undefined
      return undefined
    }
  }

  async #target(record: ImportRecord, importer: string, find: FindPackage): Promise<Target> {
    const { specifier, kind } = record
    const target =
      kind === 'require'
        ? requireTarget(specifier, importer, this.#options.witness)
        : await findTarget({ record, importer, find }, this.#options)
    if (target.kind === 'package' && isLibrarySpecifier(specifier)) refuseOtherMajor(target.file)
    if (target.kind === 'missing' && kind === 'static') this.#miss(target, specifier, importer)
    return target
  }

  #miss(target: Target & { kind: 'missing' }, specifier: string, file: string): void {
    const importer = nameIn(this.#options.root, file)
    this.#fault ??= target.hasPackage
      ? loadErrors.notExported({ specifier, importer })
      : loadErrors.missing({ specifier, importer })
  }

  /** Says what of a module is more than a moved copy could do. */
  #judge({ source, reading, targets, stays }: Module): void {
    const { file } = source
    if (reading.isOpaque) this.#doubt(file, 'computes what it imports')
    if (reading.isCommonJs && !stays) this.#doubt(file, 'uses CommonJS')
    for (const record of reading.records) {
      const target = targets.get(record.specifier)
      if (!isPlain(record) || target?.kind === 'opaque')
        this.#doubt(file, `imports ${record.specifier}`)
      if (source.type === 'commonjs' && !stays) this.#judgeInterop(file, target)
    }
  }

  /** TypeScript's default import from compiled CommonJS is another one than Node's. */
  #judgeInterop(file: string, target: Target | undefined): void {
    if (target?.kind !== 'package' && target?.kind !== 'module') return
    const { scopes } = this.#options
    if (isTypeScript(target.file) || scopes.typeOf(target.file) === 'module') return
    if (target.kind === 'package' && target.file.startsWith(ownLibrary().root)) return
    if (mayBeTranspiled(target.file)) this.#doubt(file, `imports compiled CommonJS ${target.file}`)
  }

  /** What Node runs by itself can't be handed compiled copies. */
  #judgeStaying(): void {
    for (const module of this.#modules.values()) {
      const targets = module.stays ? localTargets(module) : []
      const strays = targets.filter((file) => this.#modules.get(file)?.stays !== true)
      for (const file of strays) {
        if (!file.endsWith('.json')) this.#doubt(module.source.file, `loads ${file}`)
      }
    }
  }

  #doubt(file: string, why: string): void {
    this.#doubts.push(`${file} ${why}`)
  }
}

function isPlain({ attribute, kind }: ImportRecord): boolean {
  return attribute === undefined || (attribute === 'json' && kind === 'static')
}

function localTargets({ targets }: Module): string[] {
  return [...targets.values()].flatMap((target) => (target.kind === 'module' ? [target.file] : []))
}

function staysWhereItIs({ file, type }: Source, { isModule, isCommonJs }: Reading): boolean {
  return type === 'commonjs' && isCommonJs && !isModule && /\.c?js$/u.test(file)
}

/** TypeScript looks for sources first; what stays where it is runs without us, as Node finds it. */
function requireTarget(specifier: string, importer: string, witness: Witness): Target {
  const source = (): string | undefined =>
    isPath(specifier)
      ? findModule(resolve(dirname(importer), specifier), importer, witness)
      : undefined
  const first = isTypeScript(importer) ? source() : undefined
  const file = first ?? nodeTarget(specifier, importer) ?? source()
  // If the code gets to what is not there, Node says so.
  if (file === undefined || !isAbsolute(file)) return { kind: 'anywhere' }
  const isLocal = /\.(?:[mc]?[jt]sx?|json)$/u.test(file) && !file.includes('node_modules')
  const isOurs = isLocal && !isLibrarySpecifier(specifier)
  return { kind: isOurs ? 'module' : 'package', file, exact: true }
}

function nodeTarget(specifier: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(specifier)
  } catch {
    return undefined
  }
}

function refuseOtherMajor(file: string): void {
  const flow = libraryVersion(file)
  if (flow === undefined || isSameMajor(flow)) return
  throw loadErrors.otherMajor({ flow, command: ownLibrary().version })
}
