import type { Damage } from '../../core/store.ts'
import type { PendingView, ThreadRunner } from '../../runner/runner.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { pendingJson } from '../json/thread-json.ts'
import { printList } from '../list.ts'
import type { OptionValues } from '../option-values.ts'
import { openProject, type Project } from '../project.ts'
import { openReader } from '../reader.ts'
import { renderPending } from '../render/pending.ts'
import { outViewOf } from '../render/view.ts'
import { selectThread } from '../thread-selector.ts'

/** Lists what waits for an answer. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { options } = invocation
  const project = await openProject(invocation)
  if (!project.hasStore) return nothing(project, invocation)
  const runner = openReader(project)
  const { threads, damaged } = await find(runner, invocation)
  warnDamaged(damaged, invocation)
  if (threads.length === 0 && damaged.length === 0) return nothing(project, invocation)
  if (invocation.output.format === 'human') await show(threads, damaged, invocation)
  return {
    exitCode: codeOf(threads, damaged, options),
    document: { threads: threads.map(pendingJson), ...damageJson(damaged) },
  }
}

interface Found {
  readonly threads: readonly PendingView[]
  readonly damaged: readonly Damage[]
}

async function find(runner: ThreadRunner, { args, options }: Invocation): Promise<Found> {
  const [selector] = args
  const only =
    selector === undefined ? undefined : (await selectThread(selector, runner)).view.threadId
  const { items, damaged } = await everyPage(runner, only)
  const wanted = items
    .filter((thread) => matches(thread, options))
    .map((thread) => ofKind(thread, options.text('kind')))
    .filter(({ interrupts }) => options.flag('all') || interrupts.length > 0)
  return { threads: sorted(wanted, options).slice(0, options.number('limit')), damaged }
}

async function everyPage(
  runner: ThreadRunner,
  threadId: string | undefined,
): Promise<{ items: PendingView[]; damaged: Damage[] }> {
  const items: PendingView[] = []
  const damaged: Damage[] = []
  let after: { readonly after?: string } = {}
  for (;;) {
    const page = await runner.pending({ ...after, ...(threadId === undefined ? {} : { threadId }) })
    items.push(...page.items)
    damaged.push(...page.damaged)
    if (page.next === undefined) return { items, damaged }
    after = { after: page.next }
  }
}

function matches({ flow, meta, interrupts }: PendingView, options: OptionValues): boolean {
  const wanted = options.text('flow')
  if (wanted !== undefined && flow !== wanted && meta.flowFile !== wanted) return false
  const older = options.number('olderThan')
  const oldest = interrupts[0]?.openedAt
  return older === undefined || (oldest !== undefined && Date.now() - Date.parse(oldest) >= older)
}

function ofKind(thread: PendingView, kind: string | undefined): PendingView {
  if (kind === undefined) return thread
  return { ...thread, interrupts: thread.interrupts.filter((interrupt) => interrupt.kind === kind) }
}

/** Newest last: nearest to where the next command is typed. */
function sorted(threads: readonly PendingView[], options: OptionValues): PendingView[] {
  const byAge = threads.toSorted((a, b) => compare(a.updatedAt, b.updatedAt))
  return options.text('sort') === 'flow' ? byAge.toSorted((a, b) => compare(a.flow, b.flow)) : byAge
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function codeOf(
  threads: Found['threads'],
  damaged: Found['damaged'],
  options: OptionValues,
): ExitCode {
  if (damaged.length > 0) return exitCode.damaged
  return options.flag('exitCode') && threads.length > 0 ? exitCode.suspended : exitCode.ok
}

function nothing({ hasStore, root }: Project, invocation: Invocation): CommandResult {
  const { terminal, settings, output } = invocation
  if (output.format === 'human' && !settings.quiet) {
    const where = hasStore ? '.' : ` (no .hexagon directory in ${root} or above).`
    terminal.stderr(`Nothing is waiting${where}`)
    if (!settings.inAutomation) terminal.stderr('Start a flow: hexagon run flows/<name>.ts')
  }
  return { exitCode: exitCode.ok, document: { threads: [] } }
}

async function show(
  threads: Found['threads'],
  damaged: Found['damaged'],
  invocation: Invocation,
): Promise<void> {
  const { terminal, settings, options } = invocation
  const { lines, hint } = renderPending(
    threads.map((thread) => ({ ...thread, id: thread.threadId })),
    damaged,
    { ...outViewOf(terminal), full: options.flag('full') },
  )
  await printList(lines, invocation)
  if (hint !== undefined && !settings.quiet && !settings.inAutomation) terminal.stderr(`\n${hint}`)
}
