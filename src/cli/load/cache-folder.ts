import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where compiled flows are kept: in the project, or only as long as this process lives. */
export type CacheChoice = 'project' | 'temporary'

let temporary: string | undefined

/** The cache in a store's folder. */
export function storedCache(storeDir: string): string {
  return join(storeDir, 'cache')
}

/** Makes the folder of a store, out of sight of git. @throws when it can't */
export function makeStoreFolder(storeDir: string): void {
  if (existsSync(storeDir)) return
  mkdirSync(storeDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(storeDir, '.gitignore'), '*\n', { mode: 0o600 })
}

/** A folder of this process alone; gone when it ends. @throws when none can be made */
export function temporaryCache(): string {
  if (temporary !== undefined) return temporary
  const folder = mkdtempSync(join(tmpdir(), 'hexagon-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  temporary = folder
  return folder
}
