import { basename, extname } from 'node:path'

import { isFlow, type Flow } from '../../core/flow.ts'
import { pickFlow, type FlowFunction } from './exported-flow.ts'
import { argumentErrors } from './find/argument-error.ts'
import { locateFlow, notFound, type FlowArgument, type FlowPlace } from './find/flow-argument.ts'
import { nameIn } from './find/flow-file.ts'
import { listFlows, textOf } from './find/flow-list.ts'
import { fingerprintOf } from './fingerprint.ts'
import { loadModule, type ModuleRequest } from './load-module.ts'

/** A flow to load: what a person typed, and how to treat its file. */
export interface FlowRequest
  extends FlowArgument, Pick<ModuleRequest, 'tsconfig' | 'cache' | 'storeDir'> {}

/** A flow as its file exports it, and all that a thread has to remember of it. */
export interface LoadedFlow {
  /** A bare function is a flow of one node. */
  readonly flow: Flow | FlowFunction
  /** The flow's own name; a function without one is called after its file. */
  readonly name: string
  /** Absolute. */
  readonly file: string
  /** Relative to the root, with `/`; absolute outside of it. */
  readonly path: string
  readonly exportName: string
  readonly root: string
  /** Every local file that the flow consists of, as `path`. */
  readonly files: readonly string[]
  /** Changes when one of `files` does. */
  readonly fingerprint: string
  /** True when the flow came from the cache, without tsx. */
  readonly cached: boolean
}

/**
 * Loads the flow that an argument means: a path, a name in the flows folder, or the name of a flow in it.
 *
 * @throws HexagonError E1101 to E1113, E1117; errors that the flow's own graph throws
 */
export async function loadFlow(request: FlowRequest): Promise<LoadedFlow> {
  const located = locateFlow(request)
  if (located.kind === 'file') return loadFlowAt(located, request)
  return loadByName(located, request)
}

/** Loads a flow whose file is known, as a thread's record knows it. @throws like {@link loadFlow} */
export async function loadFlowAt(
  { file, exportName }: FlowPlace,
  options: Pick<FlowRequest, 'root' | 'tsconfig' | 'cache' | 'storeDir'>,
): Promise<LoadedFlow> {
  const { root, tsconfig, cache, storeDir } = options
  const loaded = await loadModule({ file, root, tsconfig, cache, storeDir })
  const path = nameIn(root, file)
  const flow = pickFlow(loaded.namespace, exportName, path)
  return {
    flow,
    name: nameOf(flow, file, exportName),
    file,
    path,
    exportName,
    root,
    files: loaded.files.map((part) => nameIn(loaded.root, part.path)).toSorted(),
    fingerprint: fingerprintOf(loaded.file, loaded.files),
    cached: loaded.cached,
  }
}

/** Only flows that contain the name as a text can have it, so only they are loaded. */
async function loadByName(
  { name, exportName }: { name: string; exportName: string },
  request: FlowRequest,
): Promise<LoadedFlow> {
  const texts = ["'", '"', '`'].map((mark) => mark + name + mark)
  const candidates = listFlows(request).filter(({ file }) => {
    const source = textOf(file)
    return texts.some((text) => source.includes(text))
  })
  const found: LoadedFlow[] = []
  for (const { file } of candidates) {
    const flow = await loadFlowAt({ file, exportName }, request).catch(() => undefined)
    if (flow?.name === name) found.push(flow)
  }
  const [only, ...others] = found
  if (only === undefined) throw notFound(request, name)
  if (others.length > 0)
    throw argumentErrors.ambiguous(
      name,
      found.map(({ path }) => path),
    )
  return only
}

function nameOf(flow: Flow | FlowFunction, file: string, exportName: string): string {
  if (isFlow(flow)) return flow.name
  const isNamed = flow.name !== '' && flow.name !== 'default' && flow.name !== 'a_default'
  if (isNamed) return flow.name
  if (exportName !== 'default') return exportName
  const stem = basename(file, extname(file))
  return stem === 'index' ? basename(file.slice(0, -basename(file).length)) : stem
}
