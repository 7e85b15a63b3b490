import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'
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
import { selectThread } from '../thread-selector.ts'

/** Lists threads, newest first; of one thread its checkpoints, or what changed between two of them. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { args, options } = invocation
  const [selector] = args
  const diff = options.text('diff')
  const project = await openProject(invocation)
  if (selector === undefined) {
    if (diff !== undefined) throw needsDiff('--diff compares checkpoints of one thread')
    return everyThread(project, invocation)
  }
  const reader = openExisting(project)
  const { view } = await selectThread(selector, reader)
  if (diff !== undefined) return compare(view, { reader, project, invocation, diff })
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
      checkpoints: found.map(({ version, at, status, label }) => ({
        version,
        at,
        status: statusOf(status),
        label,
      })),
    },
  }
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
