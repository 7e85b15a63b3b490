// How a flow is loaded, and until when that stays true.

import { withCompiler, compilerManifest } from './compile/esbuild.ts'
import { copyModules } from './compile/module-copy.ts'
import { readModules, type Module, type ModuleGraph } from './compile/module-graph.ts'
import { PackageScopes } from './compile/package-scope.ts'
import { findTsconfig } from './compile/tsconfig.ts'
import { Witness, type Evidence } from './evidence.ts'
import { userConditions } from './library.ts'

/** What a plan is made for. */
export interface PlanRequest {
  /** Absolute, without links. */
  readonly file: string
  readonly root: string
  /** Absolute; the nearest one when left out. */
  readonly tsconfig?: string | undefined
  /** False where Node has the file in memory as it was before: only a copy shows what it is now. */
  readonly mayBeNative?: boolean
}

/** A file of the flow's own. */
export interface PlannedFile {
  readonly path: string
  readonly digest: string
  /** Which files it imports, by their place in the list. */
  readonly imports: readonly number[]
}

/** How to load a flow; plain data, kept in the cache. */
export interface Plan {
  /**
   * `native` and `commonjs`: Node loads the file as it is. `compiled`: its copy is loaded. `tsx`: tsx loads it.
   */
  readonly mode: 'native' | 'commonjs' | 'compiled' | 'tsx'
  /** The original of each copy, by file name; the flow's own is the first. */
  readonly originals: Readonly<Record<string, string>>
  readonly files: readonly PlannedFile[]
  readonly evidence: readonly Evidence[]
  readonly tsconfig: string | undefined
}

/** A plan just made, with what has to be written for it. */
export interface FreshPlan {
  readonly plan: Plan
  /** The copies' code by file name. */
  readonly copies: ReadonlyMap<string, string>
  /** What is wrong with the files, should tsx stumble over them, too. */
  readonly fault: Error | undefined
}

/** Reads the flow and decides how to load it. @throws HexagonError E1107, E1112 */
export async function makePlan(request: PlanRequest): Promise<FreshPlan> {
  const witness = new Witness()
  witness.read(compilerManifest())
  const tsconfig = findTsconfig(request.file, request.tsconfig, witness)
  const scopes = new PackageScopes(witness)
  const conditions = nodeConditions()
  const graph = await withCompiler((compiler) =>
    readModules(request.file, {
      compiler,
      witness,
      scopes,
      tsconfig,
      conditions,
      root: request.root,
    }),
  )
  const { mode, copies } = decide(graph, request.mayBeNative ?? true)
  return {
    plan: {
      mode,
      originals: Object.fromEntries([...copies].map(([name, { file }]) => [name, file])),
      files: plannedFiles(graph, witness),
      evidence: witness.evidence,
      tsconfig: tsconfig?.path,
    },
    copies: new Map([...copies].map(([name, { code }]) => [name, code])),
    fault: graph.fault,
  }
}

type Decision = Pick<Plan, 'mode'> & { readonly copies: ReturnType<typeof copyModules> & object }

function decide(graph: ModuleGraph, mayBeNative: boolean): Decision {
  const none = new Map<string, never>()
  if (graph.doubts.length > 0 || graph.fault !== undefined) return { mode: 'tsx', copies: none }
  if (graph.modules.get(graph.entry)?.stays === true) return { mode: 'commonjs', copies: none }
  if (mayBeNative && isNative(graph)) return { mode: 'native', copies: none }
  const copies = copyModules(graph)
  return copies === undefined ? { mode: 'tsx', copies: none } : { mode: 'compiled', copies }
}

/** True when Node, left alone, loads just these files in just this way, and without a warning. */
function isNative({ modules }: ModuleGraph): boolean {
  return [...modules.values()].every(({ source, stays, targets }) => {
    if (stays) return true
    const isScript = source.type === 'module' && /\.m?js$/u.test(source.file)
    return isScript && [...targets.values()].every(isExact)
  })
}

function isExact(
  target: Module['targets'] extends ReadonlyMap<string, infer T> ? T : never,
): boolean {
  return target.kind === 'anywhere' || ('exact' in target && target.exact)
}

function plannedFiles({ modules }: ModuleGraph, witness: Witness): PlannedFile[] {
  const digests = new Map(witness.evidence)
  const places = new Map([...modules.keys()].map((file, place) => [file, place]))
  return [...modules].map(([path, { targets }]) => ({
    path,
    digest: digests.get(path) ?? '',
    imports: [...targets.values()].flatMap((target) =>
      target.kind === 'module' ? (places.get(target.file) ?? []) : [],
    ),
  }))
}

/** What Node adds to every import of its own, and what this process was started with. */
function nodeConditions(): string[] {
  const own = ['node-addons', ...(process.features.require_module ? ['module-sync'] : [])]
  return [...own, ...userConditions()]
}
