import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config.ts'
import { HexagonError } from '../core/errors.ts'
import type { Store } from '../core/store.ts'
import { fileStore } from '../stores/file.ts'
import { readConfig, type ConfigRequest } from './config/config-file.ts'
import { importConfig } from './config/config-module.ts'
import { Redaction } from './config/redaction.ts'
import type { Invocation } from './invocation.ts'
import { findRoot } from './load/find/project-root.ts'
import type { Settings } from './settings.ts'
import { hexagonVersion } from './version.ts'

/** The folder a command works in, its configuration and its store. */
export interface Project {
  readonly root: string
  readonly config: Config
  /** Hides what the configuration says is never shown. */
  readonly redaction: Redaction
  readonly storeDir: string
  /** True when something was ever saved here. */
  readonly hasStore: boolean
  /** Opens the store; nothing is made before the first write. */
  openStore(): Store
}

/** Finds the project of an invocation; of its configuration only what is JSON. @throws HexagonError E1105, E1116 */
export async function openProject({ settings }: Pick<Invocation, 'settings'>): Promise<Project> {
  const place = placeOf(settings)
  return projectAt(place.root, await readConfig(place))
}

/** {@link openProject} with a configuration that may be code. */
export async function openProjectWithCode({
  settings,
}: Pick<Invocation, 'settings'>): Promise<Project> {
  const place = placeOf(settings)
  return projectAt(place.root, await readConfig(place, importConfig(place.root)))
}

function placeOf({ cwd: chosen, config }: Settings): ConfigRequest {
  const cwd = process.cwd()
  return { root: findRoot({ cwd, chosen }), cwd, chosen: config }
}

function projectAt(root: string, config: Config): Project {
  const storeDir = resolve(root, config.storeDir ?? '.hexagon')
  return {
    root,
    config,
    redaction: new Redaction(config),
    storeDir,
    hasStore: existsSync(storeDir),
    openStore: () => fileStore(storeDir, { createdBy: hexagonVersion() }),
  }
}

/** Refuses to go on where nothing was ever saved. @throws HexagonError E1316 */
export function assertStore({ hasStore, root }: Project): void {
  if (hasStore) return
  throw new HexagonError('E1316', `No .hexagon directory in ${root} or above`, {
    hint: 'Go to the project, or give it: --cwd <dir>. Start a flow: hexagon run <flow>',
    details: { root },
  })
}
