import { encode } from '../../core/codec.ts'
import type { RunResult } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import { END } from '../../graph/command.ts'
import { asRunnable } from '../../graph/flow.ts'
import { ThreadRunner } from '../../runner/runner.ts'
import { exitCode } from '../exit-code.ts'
import { FlowHost } from '../flow/flow-host.ts'
import { answererOf } from '../identity.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { interruptJson } from '../json/interrupt-json.ts'
import { headJson } from '../json/thread-json.ts'
import { assertStore, openProjectWithCode, type Project } from '../project.ts'
import { continueCommand } from '../render/command-line.ts'
import { loadFlowOf } from '../resume/continue-thread.ts'
import { assertOpen } from '../resume/readiness.ts'
import { readStartValue } from '../start-value.ts'
import { placeIn } from '../subgraph-place.ts'
import { oneLine } from '../terminal/safe.ts'
import { needsThread, selectThread, type SelectedThread } from '../thread-selector.ts'

/** Changes the state of a resting thread, or where it goes on, without running it. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, command } = invocation
  const [selector] = args
  if (selector === undefined) throw needsThread(command)
  const change = await readChange(invocation)
  const project = await openProjectWithCode(invocation)
  assertStore(project)
  const runner = new ThreadRunner({ store: project.openStore() }, asRunnable)
  const selected = await selectThread(selector, runner)
  assertOpen(selected.view, undefined)
  const result = await apply(change, selected, { invocation, project, runner })
  const within = await placeIn(runner, result.threadId, invocation.options.text('in'))
  const view = await runner.get(result.threadId, within === undefined ? {} : { within })
  tell(change, result, invocation)
  return {
    exitCode: exitCode.ok,
    document: {
      thread: headJson(view),
      status: view.status,
      state: encode(project.redaction.record(view.state)),
      next: [...view.next],
      interrupts: project.redaction.withInterrupts(view).interrupts.map(interruptJson),
    },
  }
}

interface Change {
  readonly update?: Readonly<Record<string, unknown>>
  readonly goto?: readonly string[]
}

async function readChange(invocation: Invocation): Promise<Change> {
  const { options } = invocation
  const start = await readStartValue(invocation)
  const goto = options.list('goto').map((node) => (node === 'end' ? END : node))
  if (!start.given && goto.length === 0) {
    throw new HexagonError('E1006', 'update needs --data or --goto', {
      hint: 'hexagon update <thread> --data key=value --goto <node>',
    })
  }
  if (start.given && !isRecord(start.value)) {
    throw new HexagonError('E1208', 'The state is changed by its keys, got one value', {
      hint: 'Write --data key=value, or a JSON object.',
    })
  }
  return {
    ...(start.given && isRecord(start.value) ? { update: start.value } : {}),
    ...(goto.length === 0 ? {} : { goto }),
  }
}

interface Place {
  readonly invocation: Invocation
  readonly project: Project
  readonly runner: ThreadRunner
}

async function apply(
  change: Change,
  { view }: SelectedThread,
  { invocation, project, runner }: Place,
): Promise<RunResult> {
  const { options, env } = invocation
  const host = new FlowHost(invocation)
  try {
    const loading = loadFlowOf({ invocation, project, view })
    const flow = await host.guard(loading, () => `the flow of ${view.threadId} is loading`)
    const ifVersion = options.number('ifVersion')
    const command = { ...change, ...(ifVersion === undefined ? {} : { ifVersion }) }
    const source = answererOf(options.text('as'), env)
    const within = await placeIn(runner, view.threadId, options.text('in'))
    return await runner.update(view.threadId, command, { flow: flow.runnable, source, within })
  } finally {
    host.close()
  }
}

function tell(
  { update, goto }: Change,
  result: RunResult,
  { terminal, settings }: Invocation,
): void {
  if (settings.quiet) return
  const { err, symbols } = terminal
  const keys = Object.keys(update ?? {})
  const what = [
    ...(keys.length === 0 ? [] : [keys.map(oneLine).join(', ')]),
    ...(goto === undefined
      ? []
      : [
          `goes on at ${goto.map((node) => (node === END ? 'the end' : oneLine(node))).join(', ')}`,
        ]),
  ]
  terminal.stderr(
    `${err.paint.green(symbols.ok)} Updated ${result.threadId} (version ${result.version}): ${what.join('; ')}`,
  )
  if (result.status === 'completed') terminal.stderr('  It is completed.')
  else if (!settings.inAutomation)
    terminal.stderr(`  Continue:  ${continueCommand(result.threadId)}`)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
