import { canonical } from '../../core/canonical.ts'
import type { ThreadMeta, ThreadView } from '../../core/command.ts'
import { HexagonError, ThreadClosedError } from '../../core/errors.ts'
import { exitCode } from '../exit-code.ts'
import { openFlowRunner } from '../flow-runner.ts'
import { recordedDirectory } from '../flow/working-directory.ts'
import { starterOf } from '../identity.ts'
import { explainRefusedInput, inputFor, type StartValue } from '../start-value.ts'
import { findThread } from '../thread-selector.ts'
import { breakpointsOf } from './breakpoints.ts'
import { conduct, type Conduct } from './conduct.ts'
import type { Report } from './report.ts'

/** What `run` starts with. */
export interface StartRequest extends Omit<
  Conduct,
  'runner' | 'open' | 'continuedAt' | 'canDefer'
> {
  readonly start: StartValue
  readonly threadId: string | undefined
  /** The flow as it was typed. */
  readonly argument: string
}

/** Starts a thread, or with `--reuse` continues the one of that id. @throws HexagonError E1217, E1314 */
export async function startThread(request: StartRequest): Promise<Report> {
  const { invocation, project, threadId } = request
  const { options, settings } = invocation
  if (options.flag('ephemeral')) return startEphemeral(request)
  const runner = openFlowRunner(project.openStore(), settings)
  const existing =
    options.flag('reuse') && threadId !== undefined ? await findThread(threadId, runner) : undefined
  if (existing !== undefined) return reuse(existing, { ...request, runner })
  return begin({ ...request, runner })
}

async function startEphemeral(request: StartRequest): Promise<Report> {
  const { memoryStore } = await import('../../stores/memory.ts')
  const runner = openFlowRunner(memoryStore(), request.invocation.settings)
  const report = await begin({ ...request, runner, canDefer: false })
  if (report.status === 'completed' || report.status === 'failed') return report
  const error = new HexagonError(
    'E1406',
    'This run keeps nothing on disk, so it cannot be continued later',
    {
      hint: 'Leave --ephemeral out to be able to answer later.',
    },
  )
  return { ...report, exitCode: exitCode.badData, error, next: undefined }
}

async function begin(request: StartRequest & Conduct): Promise<Report> {
  const { runner, flow, start, threadId, invocation, argument } = request
  const input = await inputFor(flow.runnable, start)
  try {
    return await conduct(
      (onInterrupt) =>
        runner.run(flow.runnable, input, {
          threadId,
          onInterrupt,
          maxSteps: invocation.options.number('maxSteps'),
          ...breakpointsOf(invocation.options),
          meta: metaOf(request),
        }),
      request,
    )
  } catch (error) {
    throw explainRefusedInput(error, argument)
  }
}

function metaOf({ flow, project, invocation }: StartRequest): Partial<ThreadMeta> {
  const by = starterOf(invocation.options.text('as'), invocation.env)
  return {
    flowFile: flow.path,
    flowExport: flow.exportName,
    files: flow.fingerprint,
    cwd: recordedDirectory(project.root),
    ...(by === undefined ? {} : { by }),
  }
}

/** Continues a thread as it is; another start value would be silently dropped, so it is refused. */
async function reuse(view: ThreadView, request: StartRequest & Conduct): Promise<Report> {
  const { runner, flow, start, invocation } = request
  const { threadId } = view
  if (view.status === 'completed' || view.status === 'cancelled') {
    throw new ThreadClosedError(threadId, view.status)
  }
  if (view.flow !== flow.runnable.name) throw otherThread(threadId, `it runs "${view.flow}"`)
  if (start.given) {
    const input = await flow.runnable.checkInput(start.value)
    if (canonical(input) !== canonical(view.input)) {
      throw otherThread(threadId, 'it was started with another value')
    }
  }
  return conduct(
    (onInterrupt) =>
      runner.resume(
        threadId,
        {},
        {
          flow: flow.runnable,
          onInterrupt,
          maxSteps: invocation.options.number('maxSteps'),
          ...breakpointsOf(invocation.options),
        },
      ),
    { ...request, open: view.interrupts },
  )
}

function otherThread(threadId: string, why: string): HexagonError {
  return new HexagonError('E1314', `Thread "${threadId}" exists, and ${why}`, {
    hint: `Continue it: hexagon resume ${threadId}. Or use another --thread.`,
    details: { threadId },
  })
}
