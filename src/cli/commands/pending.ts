import type { Damage } from '../../core/store.ts'
import type { PendingView } from '../../runner/thread-list.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { pendingJson } from '../json/thread-json.ts'
import { printList } from '../list.ts'
import { openLists, type Lists } from '../lists.ts'
import type { OptionValues } from '../option-values.ts'
import { allThreads, collectPages, type Collected } from '../page-walk.ts'
import { findProject, openProject, type Place } from '../project.ts'
import { renderPending } from '../render/pending.ts'
import { outViewOf } from '../render/view.ts'
import { redactionOf } from '../shown-secrets.ts'

/** Lists what waits for an answer. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { options, output } = invocation
  const project = await findProject(invocation)
  const redaction = redactionOf(project, invocation)
  if (!project.hasStore) return nothing(project, invocation)
  const { items, damaged } = await find(openLists(project.store), invocation)
  const threads = items.map((thread) => redaction.withInterrupts(thread))
  warnDamaged(damaged, invocation)
  if (threads.length === 0 && damaged.length === 0) return nothing(project, invocation)
  const code = codeOf(threads, damaged, options)
  if (output.format !== 'human') {
    return {
      exitCode: code,
      document: { threads: threads.map(pendingJson), ...damageJson(damaged) },
    }
  }
  await show(threads, damaged, invocation)
  return { exitCode: code }
}

async function find(runner: Lists, invocation: Invocation): Promise<Collected<PendingView>> {
  const { options } = invocation
  const { items, damaged } = await listed(runner, invocation)
  const wanted = items
    .filter((thread) => matches(thread, options))
    .map((thread) => ofKind(thread, options.text('kind')))
    .filter(({ interrupts }) => options.flag('all') || interrupts.length > 0)
  return { items: sorted(wanted, options).slice(0, options.number('limit')), damaged }
}

/** What waits, with `--all` beside every other thread. */
async function listed(runner: Lists, invocation: Invocation): Promise<Collected<PendingView>> {
  const { args, options } = invocation
  const [selector] = args
  const only = selector === undefined ? {} : { threadId: await threadMeant(selector, invocation) }
  const waiting = await collectPages((page) => runner.pending({ ...page, ...only }))
  if (!options.flag('all') || selector !== undefined) return waiting
  const known = new Set(waiting.items.map(({ threadId }) => threadId))
  const others = (await allThreads(runner))
    .filter(({ threadId }) => !known.has(threadId))
    .map((thread): PendingView => ({ ...thread, interrupts: [], answered: 0 }))
  return { items: [...waiting.items, ...others], damaged: waiting.damaged }
}

/** What finds one thread comes only when one is asked for. */
async function threadMeant(selector: string, invocation: Invocation): Promise<string> {
  const { selectThread } = await import('../thread-selector.ts')
  const { openReader } = await import('../reader.ts')
  const { view } = await selectThread(selector, openReader(await openProject(invocation)))
  return view.threadId
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
  threads: readonly PendingView[],
  damaged: readonly Damage[],
  options: OptionValues,
): ExitCode {
  if (damaged.length > 0) return exitCode.damaged
  const isWaiting = threads.some(({ interrupts }) => interrupts.length > 0)
  return options.flag('exitCode') && isWaiting ? exitCode.suspended : exitCode.ok
}

function nothing({ hasStore, absence }: Place, invocation: Invocation): CommandResult {
  const { terminal, settings, output } = invocation
  if (output.format === 'human' && !settings.quiet) {
    const where = hasStore ? '.' : ` (${absence}).`
    terminal.stderr(`Nothing is waiting${where}`)
    if (!settings.inAutomation) terminal.stderr('Start a flow: hexagon run flows/<name>.ts')
  }
  return { exitCode: exitCode.ok, document: { threads: [] } }
}

async function show(
  threads: readonly PendingView[],
  damaged: readonly Damage[],
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
