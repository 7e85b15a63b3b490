import { existsSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'

import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import { asRunnable } from '../../graph/flow.ts'
import type { Runnable } from '../../runtime/runnable.ts'
import { loadFlow, loadFlowAt, type LoadedFlow } from '../load/load-flow.ts'
import type { Project } from '../project.ts'

/** A loaded flow, ready for the runner. */
export interface OpenFlow extends LoadedFlow {
  readonly runnable: Runnable
}

/** Which flow, and how its file is treated. */
export interface OpenFlowRequest {
  readonly project: Project
  /** True where nothing may be kept on disk. */
  readonly isEphemeral?: boolean
  /** Where the person stands; the current directory when absent. */
  readonly cwd?: string
}

/** Loads the flow that a person named. @throws HexagonError E1101 to E1118 */
export async function openFlow(argument: string, request: OpenFlowRequest): Promise<OpenFlow> {
  const { root, config } = request.project
  const loaded = await loadFlow({
    ...optionsOf(request),
    argument,
    cwd: request.cwd ?? process.cwd(),
    root,
    flowsDir: config.flowsDir,
  })
  return ready(loaded)
}

/**
 * Loads the flow a thread came from: the file it names, or the one given for it.
 * @throws HexagonError E1101 to E1118, E1315
 */
export async function openFlowOf(
  view: ThreadView,
  moved: string | undefined,
  request: OpenFlowRequest,
): Promise<OpenFlow> {
  if (moved !== undefined) return openFlow(moved, request)
  const { root } = request.project
  const file = recordedFile(view, root)
  const exportName = view.meta.flowExport ?? 'default'
  return ready(await loadFlowAt({ file, exportName }, { ...optionsOf(request), root }))
}

function optionsOf({
  project,
  isEphemeral,
}: OpenFlowRequest): Pick<Parameters<typeof loadFlow>[0], 'tsconfig' | 'cache' | 'storeDir'> {
  const { root, config, storeDir } = project
  return {
    tsconfig: config.tsconfig === undefined ? undefined : resolve(root, config.tsconfig),
    cache: isEphemeral === true ? 'temporary' : 'project',
    storeDir,
  }
}

/** Builds the graph once, so that what is wrong with it is told before anything runs. */
function ready(loaded: LoadedFlow): OpenFlow {
  const runnable = asRunnable(loaded.flow, loaded.name)
  runnable.describe()
  return { ...loaded, runnable }
}

function recordedFile({ threadId, flow, meta }: ThreadView, root: string): string {
  const { flowFile } = meta
  if (flowFile === undefined) {
    throw new HexagonError(
      'E1101',
      `Thread "${threadId}" does not say which file its flow "${flow}" is in`,
      {
        hint: `hexagon resume ${threadId} --flow <file>`,
        details: { threadId, flow },
      },
    )
  }
  const file = resolve(root, flowFile)
  if (isOutside(root, file)) {
    throw new HexagonError('E1315', `The checkpoint points to ${flowFile}, outside ${root}`, {
      hint: `Pass --flow ${flowFile} if you trust it.`,
      details: { threadId, file: flowFile, root },
    })
  }
  if (existsSync(file)) return file
  throw new HexagonError(
    'E1101',
    `${flowFile}, where "${threadId}" waits, does not exist any more`,
    {
      hint: `If it moved: hexagon resume ${threadId} --flow <file>`,
      details: { threadId, file: flowFile },
    },
  )
}

function isOutside(root: string, file: string): boolean {
  const path = relative(root, file)
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
}
