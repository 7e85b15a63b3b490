import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config.ts'
import { HexagonError } from '../core/errors.ts'
import type { Store } from '../core/store.ts'
import { readConfig, type ConfigRequest } from './config/config-file.ts'
import { importConfig } from './config/config-module.ts'
import { Redaction } from './config/redaction.ts'
import type { Invocation } from './invocation.ts'
import { findRoot } from './load/find/project-root.ts'
import type { Settings } from './settings.ts'
import { readStoreChoice, storeOpener, type StoreChoice } from './store-choice.ts'
import { readKeys } from './store-keys.ts'

/** The folder a command works in, its configuration, and where its threads are. */
export interface Place {
  readonly root: string
  readonly config: Config
  /** Hides what the configuration says is never shown. */
  readonly redaction: Redaction
  /** The project's own folder; threads lie elsewhere when a store was chosen. */
  readonly storeDir: string
  /** Where threads lie. */
  readonly store: StoreChoice
  /** The folder that a store's path is relative to. */
  readonly base: string
  /** True when something was ever saved here. */
  readonly hasStore: boolean
  /** What is said where nothing was. */
  readonly absence: string
}

/** A place with its store. */
export interface Project extends Place {
  /** Opens the store; nothing is made before the first write. */
  openStore(): Store
}

/** Finds the project of an invocation; of its configuration only what is JSON. @throws HexagonError E1105, E1116 */
export async function openProject(invocation: Pick<Invocation, 'settings'>): Promise<Project> {
  return withStore(await findProject(invocation))
}

/** {@link openProject} for who needs less than a store. */
export async function findProject({ settings }: Pick<Invocation, 'settings'>): Promise<Place> {
  const request = requestOf(settings)
  return placeAt(request, await readConfig(request), settings)
}

/** {@link openProject} with a configuration that may be code. */
export async function openProjectWithCode({
  settings,
}: Pick<Invocation, 'settings'>): Promise<Project> {
  const request = requestOf(settings)
  const config = await readConfig(request, importConfig(request.root))
  return withStore(placeAt(request, config, settings))
}

function requestOf({ cwd: chosen, config }: Settings): ConfigRequest {
  const cwd = process.cwd()
  return { root: findRoot({ cwd, chosen }), cwd, chosen: config }
}

function placeAt({ root, cwd }: ConfigRequest, config: Config, settings: Settings): Place {
  const base = resolve(cwd, settings.cwd ?? '.')
  const chosen = settings.store === undefined ? undefined : readStoreChoice(settings.store, base)
  const ownDir = resolve(root, config.storeDir ?? '.hexagon')
  const keys = readKeys(settings, config, { cwd: base, root })
  const store: StoreChoice = { ...(chosen ?? { kind: 'file', path: ownDir }), keys }
  return {
    root,
    config,
    redaction: new Redaction(config),
    storeDir: store.kind === 'file' ? store.path : ownDir,
    store,
    base,
    hasStore: existsSync(store.path),
    absence: chosen ? `no store at ${store.path}` : `no .hexagon directory in ${root} or above`,
  }
}

async function withStore(place: Place): Promise<Project> {
  return { ...place, openStore: await storeOpener(place.store) }
}

/** Refuses to go on where nothing was ever saved. @throws HexagonError E1316 */
export function assertStore({ hasStore, absence, root }: Place): void {
  if (hasStore) return
  throw new HexagonError('E1316', `${absence.slice(0, 1).toUpperCase()}${absence.slice(1)}`, {
    hint: 'Go to the project, or give it: --cwd <dir>. Start a flow: hexagon run <flow>',
    details: { root },
  })
}
