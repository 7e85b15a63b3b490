import type { ThreadSummary } from '../../runner/thread-list.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { summaryJson } from '../json/thread-json.ts'
import { printList } from '../list.ts'
import { collectPages, type Collected } from '../page-walk.ts'
import { openProject } from '../project.ts'
import { openReader } from '../reader.ts'
import { shortIds } from '../render/short-id.ts'
import { renderTable, type Row } from '../render/table.ts'
import { formatRelative } from '../render/time.ts'
import { outViewOf, type View } from '../render/view.ts'

/** Lists every thread, newest first. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { options, output, terminal, settings } = invocation
  const project = await openProject(invocation)
  const runner = openReader(project)
  const found = project.hasStore ? await collectPages((after) => runner.threads(after)) : NOTHING
  const threads = found.items
    .filter((thread) => matches(thread, invocation))
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
    .slice(0, options.number('limit'))
  warnDamaged(found.damaged, invocation)
  if (output.format === 'human') {
    if (threads.length === 0 && !settings.quiet) terminal.stderr('No threads.')
    await printList(render(threads, outViewOf(terminal)), invocation)
  }
  return {
    exitCode: found.damaged.length > 0 ? exitCode.damaged : exitCode.ok,
    document: { threads: threads.map(summaryJson), ...damageJson(found.damaged) },
  }
}

const NOTHING: Collected<ThreadSummary> = { items: [], damaged: [] }

function matches({ flow, meta, status }: ThreadSummary, { options }: Invocation): boolean {
  const wantedFlow = options.text('flow')
  if (wantedFlow !== undefined && flow !== wantedFlow && meta.flowFile !== wantedFlow) return false
  const wanted = options.text('status')
  if (wanted === 'stopped') return meta.stopped !== undefined
  if (wanted === 'in-doubt') return meta.doubts !== undefined
  return wanted === undefined || status === wanted
}

function render(threads: readonly ThreadSummary[], view: View): string[] {
  if (threads.length === 0) return []
  const ids = view.isTTY ? shortIds(threads.map(({ threadId }) => threadId)) : undefined
  const columns = [
    { title: 'ID', style: view.paint.cyan },
    { title: 'FLOW', flexible: true },
    { title: 'STATUS' },
    { title: 'UPDATED', style: view.paint.dim },
  ]
  const rows = threads.map((thread): Row => {
    const { threadId, flow, updatedAt } = thread
    const updated = view.isTTY ? formatRelative(updatedAt, view.now) : updatedAt
    return [ids?.get(threadId) ?? threadId, flow, statusOf(thread), updated]
  })
  return renderTable(columns, rows, view)
}

function statusOf({ status, meta, holder }: ThreadSummary): string {
  if (holder !== undefined) return `running (pid ${holder.pid})`
  if (status !== 'suspended') return status
  if (meta.doubts !== undefined) return 'in doubt'
  return meta.stopped === undefined ? status : 'stopped'
}
