import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CheckpointInfo } from '../../core/store.ts'
import type { ThreadSummary } from '../../runner/thread-list.ts'
import type { ThreadReader } from '../../runner/thread-reader.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { differenceJson } from '../json/difference-json.ts'
import { headJson, summaryJson } from '../json/thread-json.ts'
import { printList } from '../list.ts'
import { collectPages } from '../page-walk.ts'
import { openProject, type Project } from '../project.ts'
import { openExisting, openReader } from '../reader.ts'
import { differenceOf, renderDifference } from '../render/difference.ts'
import { shortIds } from '../render/short-id.ts'
import { renderTable, type Row } from '../render/table.ts'
import { formatRelative } from '../render/time.ts'
import { outViewOf, type View } from '../render/view.ts'
import { feedCheckpoints } from '../session/checkpoint-feed.ts'
import { codeOfSignal, SignalWatch } from '../session/stop-signal.ts'
import { oneLine } from '../terminal/safe.ts'
import { padEnd } from '../terminal/width.ts'
import { needsThread, selectThread } from '../thread-selector.ts'

/** How long a change may go unseen where the store gives no hint. */
const POLL_MS = 500

/** Lists threads, newest first; of one thread its checkpoints, or what changed between two of them. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options } = invocation
  const [selector] = args
  const diff = options.text('diff')
  expectFollowable(invocation)
  const project = await openProject(invocation)
  if (selector === undefined) {
    if (diff !== undefined) throw needsDiff('--diff compares checkpoints of one thread')
    return everyThread(project, invocation)
  }
  const reader = openExisting(project)
  const { view } = await selectThread(selector, reader)
  if (diff !== undefined) return compare(view, { reader, project, invocation, diff })
  if (options.flag('follow')) return follow(view, { reader, project, invocation })
  return checkpoints(view, reader, invocation)
}

async function everyThread(project: Project, invocation: Invocation): Promise<CommandResult> {
  const { options, output, terminal, settings } = invocation
  const reader = openReader(project)
  const { items, damaged } = project.hasStore
    ? await collectPages((after) => reader.threads(after))
    : { items: [], damaged: [] }
  const threads = items
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
    .slice(0, options.number('limit'))
  warnDamaged(damaged, invocation)
  if (output.format === 'human') {
    if (threads.length === 0 && !settings.quiet) terminal.stderr('No threads.')
    await printList(renderThreads(threads, outViewOf(terminal)), invocation)
  }
  return {
    exitCode: damaged.length > 0 ? exitCode.damaged : exitCode.ok,
    document: { threads: threads.map(summaryJson), ...damageJson(damaged) },
  }
}

function renderThreads(threads: readonly ThreadSummary[], view: View): string[] {
  if (threads.length === 0) return []
  const ids = view.isTTY ? shortIds(threads.map(({ threadId }) => threadId)) : undefined
  const columns = [
    { title: 'ID', style: view.paint.cyan },
    { title: 'FLOW', flexible: true },
    { title: 'STATUS' },
    { title: 'VERSION' },
    { title: 'FORK OF', from: 60 },
    { title: 'UPDATED', style: view.paint.dim },
  ]
  const rows = threads.map((thread): Row => {
    const { threadId, flow, status, version, meta, updatedAt } = thread
    const { parent } = meta
    const from = parent === undefined ? '' : `${parent.threadId} at ${parent.version}`
    const id = ids?.get(threadId) ?? threadId
    return [id, flow, status, String(version), from, timeOf(updatedAt, view)]
  })
  return renderTable(columns, rows, view)
}

async function checkpoints(
  thread: ThreadView,
  reader: ThreadReader,
  invocation: Invocation,
): Promise<CommandResult> {
  const { options, output, terminal } = invocation
  const [before, limit] = [options.number('before'), options.number('limit')]
  const found = await reader.history(thread.threadId, {
    ...(before === undefined ? {} : { before }),
    ...(limit === undefined ? {} : { limit }),
  })
  if (output.format === 'human')
    await printList(renderCheckpoints(found, outViewOf(terminal)), invocation)
  return {
    exitCode: exitCode.ok,
    document: {
      thread: headJson(thread),
      checkpoints: found.map(checkpointJson),
    },
  }
}

function checkpointJson({ version, at, status, label }: CheckpointInfo): JsonObject {
  return { version, at, status: statusOf(status), label }
}

/** Only the checkpoints of one thread can be waited for. */
function expectFollowable({ args, options }: Invocation): void {
  if (!options.flag('follow')) return
  const other = ['diff', 'before'].find((name) => options.has(name))
  if (other !== undefined)
    throw new HexagonError('E1006', `--follow and --${other} exclude each other`, {
      hint: 'Leave one of them out.',
    })
  if (args[0] === undefined) throw needsThread('history --follow')
}

async function follow(
  { threadId }: ThreadView,
  { reader, project, invocation }: Omit<Comparison, 'diff'>,
): Promise<CommandResult> {
  const { output, terminal } = invocation
  const store = project.openStore()
  const watch = new SignalWatch()
  try {
    const view = await feedCheckpoints({
      reader,
      threadId,
      limit: invocation.options.number('limit'),
      tell: (checkpoint) => {
        if (output.format !== 'human')
          output.item('checkpoint', { threadId, ...checkpointJson(checkpoint) })
        else terminal.stdout(`${feedLine(checkpoint, outViewOf(terminal))}\n`)
      },
      wait: async () => {
        await Promise.race([store.wait(POLL_MS), watch.came])
        return watch.signal === undefined && !terminal.stdoutClosed
      },
    })
    const code = watch.signal === undefined ? exitCode.ok : codeOfSignal[watch.signal]
    return { exitCode: code, document: { status: view.status, thread: headJson(view) } }
  } finally {
    watch.close()
  }
}

/** A line by itself: what comes after it is not known yet. */
function feedLine({ version, at, status, label }: CheckpointInfo, view: View): string {
  const { paint, isTTY } = view
  const cells = [String(version), oneLine(label), statusOf(status), at]
  if (!isTTY) return cells.join('\t')
  const [first = '', what = '', state = '', when = ''] = cells
  return `${paint.cyan(padEnd(first, 7))}  ${padEnd(what, 28)}  ${padEnd(state, 9)}  ${paint.dim(when)}`
}

function renderCheckpoints(found: readonly CheckpointInfo[], view: View): string[] {
  const columns = [
    { title: 'VERSION', style: view.paint.cyan },
    { title: 'WHAT', flexible: true },
    { title: 'STATUS' },
    { title: 'WHEN', style: view.paint.dim },
  ]
  const rows = found.map(({ version, at, status, label }): Row => [
    String(version),
    label,
    statusOf(status),
    timeOf(at, view),
  ])
  return renderTable(columns, rows, view)
}

interface Comparison {
  readonly reader: ThreadReader
  readonly project: Project
  readonly invocation: Invocation
  readonly diff: string
}

async function compare(
  { threadId }: ThreadView,
  { reader, project, invocation, diff }: Comparison,
): Promise<CommandResult> {
  const { output, terminal } = invocation
  const [, from, to] = /^(\d+)\.\.(\d+)$/u.exec(diff) ?? []
  if (from === undefined || to === undefined)
    throw needsDiff(`--diff wants two versions, got "${diff}"`)
  const { redaction } = project
  const before = redaction.view(await reader.get(threadId, { at: Number(from) }))
  const after = redaction.view(await reader.get(threadId, { at: Number(to) }))
  const difference = differenceOf(before, after)
  if (output.format === 'human')
    await printList(renderDifference(difference, outViewOf(terminal)), invocation)
  return { exitCode: exitCode.ok, document: differenceJson(threadId, difference) }
}

function needsDiff(problem: string): HexagonError {
  return new HexagonError('E1006', problem, { hint: 'hexagon history <thread> --diff 4..9' })
}

/** Answered and not run yet: to the outside it waits. */
function statusOf(status: CheckpointInfo['status']): string {
  return status === 'ready' ? 'suspended' : status
}

/** Relative for people, exact for programs. */
function timeOf(iso: string, { isTTY, now }: View): string {
  return isTTY ? formatRelative(iso, now) : iso
}
