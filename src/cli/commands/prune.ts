import { HexagonError, ThreadLockedError, UnknownThreadError } from '../../core/errors.ts'
import type { Store, ThreadHead } from '../../core/store.ts'
import { selectThreads } from '../confirm.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { parseDuration } from '../duration.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { openKeeper } from '../keeper.ts'
import { collectPages, type Collected } from '../page-walk.ts'
import { assertStore, openProject, type Project } from '../project.ts'
import {
  damageOf,
  isOver,
  planPruning,
  type PrunePlan,
  type Pruning,
  type Retention,
} from '../prune/plan.ts'

/** Deletes threads that ended long ago, and takes old checkpoints of the others away. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const project = await openProject(invocation)
  const retention = { ...retentionOf(invocation, project), now: Date.now() }
  assertStore(project)
  const store = project.openStore()
  try {
    const { items, damaged } = await headsOf(invocation, project, store)
    const plan = await planPruning(items, store, retention)
    const found = { ...plan, damaged: [...damaged, ...plan.damaged] }
    announce(found, invocation)
    if (invocation.options.flag('dryRun')) return report(found, invocation)
    if (!(await isWanted(found, invocation))) return { exitCode: exitCode.ok }
    return report(await carryOut(found, store, retention), invocation)
  } finally {
    await store.close()
  }
}

/** Options win over the configuration. @throws HexagonError E1005 */
function retentionOf({ options }: Invocation, { config }: Project): Retention {
  const given = { doneMs: options.number('done'), keep: options.number('keep') }
  if (given.doneMs !== undefined || given.keep !== undefined) return given
  const { done, keep } = config.retention ?? {}
  if (done === undefined && keep === undefined) {
    throw new HexagonError('E1005', 'Nothing says what may go', {
      hint: 'hexagon prune --done 30d, --keep 50, or retention in the configuration',
    })
  }
  return { doneMs: done === undefined ? undefined : parseDuration(done), keep }
}

async function headsOf(
  invocation: Invocation,
  project: Project,
  store: Store,
): Promise<Collected<ThreadHead>> {
  if (invocation.args.length === 0) return collectPages((after) => store.threads(after))
  const items: ThreadHead[] = []
  for (const { view } of await selectThreads(invocation, openKeeper(project))) {
    const thread = await store.load(view.threadId)
    if (thread !== undefined) items.push(thread.head)
  }
  return { items, damaged: [] }
}

/** At a terminal it is a look until somebody agrees. */
async function isWanted(
  { prunings }: PrunePlan,
  { options, terminal }: Invocation,
): Promise<boolean> {
  if (prunings.length === 0 || options.flag('yes') || !terminal.interactive) return true
  const asked = await terminal.prompter.select({
    message: 'Remove this?',
    options: [
      { value: false, name: 'Keep', word: 'keep' },
      { value: true, name: 'Remove', word: 'remove' },
    ],
  })
  return asked.kind === 'answer' && asked.value
}

async function carryOut(
  plan: PrunePlan,
  store: Store,
  retention: Retention & { readonly now: number },
): Promise<PrunePlan> {
  const prunings: Pruning[] = []
  const busy = [...plan.busy]
  const damaged = [...plan.damaged]
  for (const pruning of plan.prunings) {
    const { id } = pruning.head
    try {
      if (await prune(pruning, store, retention)) prunings.push(pruning)
    } catch (error) {
      if (error instanceof UnknownThreadError) continue
      if (error instanceof ThreadLockedError) busy.push(id)
      else damaged.push(damageOf(id, error))
    }
  }
  return { prunings, busy, damaged }
}

async function prune(
  pruning: Pruning,
  store: Store,
  retention: Retention & { readonly now: number },
): Promise<boolean> {
  const { id } = pruning.head
  if (pruning.kind === 'cut') {
    await store.prune(id, retention.keep ?? 1)
    return true
  }
  // Somebody may have taken it up again since it was listed.
  const thread = await store.load(id)
  return thread !== undefined && isOver(thread.head, retention) && store.delete(id)
}

/** Each thread in a line, before anything is done. */
function announce({ prunings, busy, damaged }: PrunePlan, invocation: Invocation): void {
  const { terminal, settings } = invocation
  const { err, symbols } = terminal
  warnDamaged(damaged, invocation)
  for (const id of busy) {
    terminal.stderr(`${err.paint.yellow(symbols.warn)} ${id} is being run and is left as it is`)
  }
  if (settings.quiet) return
  for (const pruning of prunings) {
    const { id, flow, status } = pruning.head
    const what =
      pruning.kind === 'delete'
        ? `${status}, to be deleted`
        : `${pruning.removed} old checkpoint${pruning.removed === 1 ? '' : 's'}`
    terminal.stderr(`  ${id}  ${flow}  ${what}`)
  }
}

function report(done: PrunePlan, { options, terminal, settings }: Invocation): CommandResult {
  const { prunings, busy, damaged } = done
  const deleted = prunings.flatMap(({ kind, head }) => (kind === 'delete' ? [head.id] : []))
  const pruned = prunings.flatMap((pruning) =>
    pruning.kind === 'cut' ? [{ id: pruning.head.id, removed: pruning.removed }] : [],
  )
  if (!settings.quiet) {
    const count = pruned.reduce((sum, { removed }) => sum + removed, 0)
    const what = `${deleted.length} thread${deleted.length === 1 ? '' : 's'} and ${count} checkpoint${count === 1 ? '' : 's'}`
    const isLook = options.flag('dryRun')
    terminal.stderr(isLook ? `Would remove ${what}` : `${terminal.symbols.ok} Removed ${what}`)
  }
  return {
    exitCode: codeOf(done),
    document: {
      dryRun: options.flag('dryRun'),
      deleted,
      pruned,
      busy: [...busy],
      ...damageJson(damaged),
    },
  }
}

function codeOf({ busy, damaged }: PrunePlan): ExitCode {
  if (damaged.length > 0) return exitCode.damaged
  return busy.length > 0 ? exitCode.busy : exitCode.ok
}
