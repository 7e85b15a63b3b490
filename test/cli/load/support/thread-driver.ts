// Runs a flow as the command does, with the runner that was bundled with the command, and the file store.

import { join } from 'node:path'

import { captureOutput } from '../../../../src/cli/load/capture-output.ts'
import { loadFlow, type FlowRequest } from '../../../../src/cli/load/load-flow.ts'
import { Runner } from '../../../../src/compose.ts'
import { asRunnable } from '../../../../src/graph/flow.ts'
import { Graph } from '../../../../src/graph/graph.ts'
import { fileStore } from '../../../../src/stores/file.ts'

interface Job extends FlowRequest {
  readonly input?: unknown
  readonly threadId?: string
  readonly answer?: unknown
}

const job: Job = JSON.parse(process.argv[2] ?? '{}')
const capture = captureOutput(() => undefined)
const loaded = await loadFlow(job)
const flow = asRunnable(loaded.flow, loaded.name)
const runner = new Runner({ store: fileStore(join(job.root, '.hexagon')) })
const run =
  job.threadId === undefined
    ? runner.run(flow, job.input)
    : runner.resume(job.threadId, { answer: job.answer }, { flow })
const { status, threadId, output, error } = await run.result
capture.restore()
process.stdout.write(
  `${JSON.stringify({
    status,
    threadId,
    output,
    error,
    cached: loaded.cached,
    isOwnCopy: loaded.flow instanceof Graph,
  })}\n`,
)
