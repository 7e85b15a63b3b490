import { realpathSync } from 'node:fs'
import { join } from 'node:path'

import { makeStoreFolder, storedCache, temporaryCache, type CacheChoice } from './cache-folder.ts'
import { digestOf } from './evidence.ts'
import { textOf } from './find/flow-list.ts'
import type { LoadedFile } from './fingerprint.ts'
import { explainFailure } from './import-failure.ts'
import { mayGoWithout, missingExport } from './missing-export.ts'
import { importPlanned, type Imported, type Namespace } from './module-import.ts'
import { planKey, readPlan, writePlan, type CachedPlan } from './plan-cache.ts'
import { makePlan, type FreshPlan, type Plan, type PlanRequest } from './plan.ts'

/** A file to load, and where it belongs. */
export interface ModuleRequest extends PlanRequest {
  readonly cache?: CacheChoice | undefined
  /** Absolute; `.hexagon` in the root when left out. */
  readonly storeDir?: string | undefined
}

/** What a file exports, and which local files that took. */
export interface LoadedModule {
  readonly namespace: Namespace
  /** The loaded file and the project's root without links, as the files are. */
  readonly file: string
  readonly root: string
  readonly files: readonly LoadedFile[]
  /** True when nothing had to be read but the cache. */
  readonly cached: boolean
}

/** What Node holds in memory for good: a changed file has to come as a copy. */
const native = new Map<string, string>()

/**
 * Loads a TypeScript or JavaScript file as tsx would, from the cache where it can.
 *
 * @throws HexagonError E1107 to E1110, E1112, E1113
 */
export async function loadModule(asked: ModuleRequest): Promise<LoadedModule> {
  const request = { ...asked, file: realpathSync(asked.file), root: realpathSync(asked.root) }
  const kept = keptPlan(request)
  if (kept !== undefined) return finish(request, { cached: kept, fault: undefined, isKept: true })
  const fresh = await makePlan(request)
  return finish(request, { cached: keep(request, fresh), fault: fresh.fault, isKept: false })
}

interface Planned {
  readonly cached: CachedPlan
  readonly fault: Error | undefined
  readonly isKept: boolean
}

async function finish(request: ModuleRequest, planned: Planned): Promise<LoadedModule> {
  const { plan } = planned.cached
  if (plan.mode === 'native' && isOutdated(request.file, plan)) {
    return loadModule({ ...request, mayBeNative: false })
  }
  const { namespace, seen, mode } = await importOrExplain(request, planned)
  return {
    namespace,
    file: request.file,
    root: request.root,
    files: withSeen(plan.files, seen),
    cached: planned.isKept && mode !== 'tsx',
  }
}

type Outcome = Imported & Pick<Plan, 'mode'>

async function importOrExplain(request: ModuleRequest, planned: Planned): Promise<Outcome> {
  const { plan } = planned.cached
  try {
    return { ...(await importPlanned(request.file, planned.cached)), mode: plan.mode }
  } catch (error) {
    const lacking = plan.mode === 'compiled' ? missingExport(error) : undefined
    if (lacking !== undefined && mayGoWithout(lacking, plan)) return withTsx(request, planned)
    throw explainFailure(error, { ...request, plan, fault: planned.fault })
  }
}

/** Node linked nothing, so nothing runs twice. From now on the file goes to tsx at once. */
function withTsx(request: ModuleRequest, planned: Planned): Promise<Outcome> {
  const plan: Plan = { ...planned.cached.plan, mode: 'tsx', originals: {} }
  const cached = keep(request, { plan, copies: new Map(), fault: planned.fault })
  return importOrExplain(request, { ...planned, cached })
}

function isOutdated(file: string, { files }: Plan): boolean {
  const now = files.map(({ digest }) => digest).join()
  const before = native.get(file) ?? now
  native.set(file, before)
  return before !== now
}

function withSeen(files: Plan['files'], seen: readonly string[]): LoadedFile[] {
  const known = new Set(files.map(({ path }) => path))
  const others = [...new Set(seen)].filter((path) => !known.has(path))
  return [...files, ...others.map((path) => ({ path, digest: digestOf(textOf(path)) }))]
}

function keptPlan(request: ModuleRequest): CachedPlan | undefined {
  const key = planKey(request)
  const folders = request.cache === 'temporary' ? [] : [storedCache(storeDirOf(request))]
  return folders.map((folder) => readPlan(folder, key)).find((plan) => plan !== undefined)
}

/** In the project if it can be, else for this process; without any place, tsx needs none. */
function keep(request: ModuleRequest, fresh: FreshPlan): CachedPlan {
  const key = planKey(request)
  const wanted = request.cache === 'temporary' ? [temporaryCache] : [projectPlace, temporaryCache]
  // A plan with a fault in it is not worth keeping: the next start should say the same of it.
  const places = fresh.fault === undefined ? wanted : []
  for (const place of places) {
    try {
      return writePlan(place(request), key, fresh)
    } catch {
      // A cache that can't be written must not stop a flow.
    }
  }
  const mode = fresh.plan.mode === 'compiled' ? 'tsx' : fresh.plan.mode
  return { plan: { ...fresh.plan, mode }, folder: '' }
}

function projectPlace(request: ModuleRequest): string {
  const storeDir = storeDirOf(request)
  makeStoreFolder(storeDir)
  return storedCache(storeDir)
}

function storeDirOf({ root, storeDir = join(root, '.hexagon') }: ModuleRequest): string {
  return storeDir
}
