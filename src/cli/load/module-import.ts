import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { lendLibraryToRequire, lendLibraryToTsx } from './library-fallback.ts'
import type { CachedPlan } from './plan-cache.ts'
import type { Plan } from './plan.ts'

/** What a module exports, by name. */
export type Namespace = Readonly<Record<string, unknown>>

/** A loaded module, and the local files that only showed while it was loading. */
export interface Imported {
  readonly namespace: Namespace
  readonly seen: readonly string[]
}

/** Loads a flow file the way its plan says. Throws what Node, tsx or the file itself throws. */
export async function importPlanned(file: string, { plan, folder }: CachedPlan): Promise<Imported> {
  switch (plan.mode) {
    case 'native':
      return { namespace: await importFile(file), seen: [] }
    case 'commonjs':
      return { namespace: requireFile(file, plan), seen: [] }
    case 'compiled':
      return { namespace: await importCopy(plan, folder), seen: [] }
    case 'tsx':
      return importWithTsx(file, plan)
  }
}

async function importCopy(plan: Plan, folder: string): Promise<Namespace> {
  // Stacks name the originals; so cheap that errors of a first run can have it, too.
  process.setSourceMapsEnabled(true)
  return importFile(join(folder, Object.keys(plan.originals)[0] ?? ''))
}

async function importFile(file: string): Promise<Namespace> {
  const namespace: Namespace = await import(pathToFileURL(file).href)
  return namespace
}

function requireFile(file: string, plan: Plan): Namespace {
  lendLibraryToRequire()
  forgetRequired(plan)
  const exported: unknown = createRequire(file)(file)
  const names = typeof exported === 'object' && exported !== null ? exported : {}
  return { ...names, default: exported }
}

/** CommonJS is read again each time, like everything else. tsx keeps it by path and namespace. */
function forgetRequired({ files }: Plan): void {
  const paths = new Set(files.map(({ path }) => path))
  const { cache } = createRequire(import.meta.url)
  for (const key of Object.keys(cache)) {
    if (paths.has(key.replace(/\?.*$/u, ''))) Reflect.deleteProperty(cache, key)
  }
}

async function importWithTsx(file: string, plan: Plan): Promise<Imported> {
  lendLibraryToRequire()
  forgetRequired(plan)
  const { tsImport } = await import('tsx/esm/api')
  const { href } = pathToFileURL(file)
  const urls: string[] = []
  const loading: Promise<Namespace> = tsImport(href, {
    parentURL: href,
    tsconfig: plan.tsconfig ?? false,
    onImport: (url) => urls.push(url),
  })
  lendLibraryToTsx()
  const namespace = await loading
  // Its messages come from another thread.
  await new Promise((resolve) => setImmediate(resolve))
  return { namespace, seen: urls.flatMap(localFile) }
}

function localFile(url: string): string[] {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return []
  return [fileURLToPath(url.replace(/[?#].*$/u, ''))]
}
