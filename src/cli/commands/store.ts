import { existsSync } from 'node:fs'

import { HexagonError, ThreadLockedError, UnknownThreadError } from '../../core/errors.ts'
import type { Store, StoredThread, ThreadHead } from '../../core/store.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { collectPages, type Collected } from '../page-walk.ts'
import { placeThread } from '../place-thread.ts'
import { assertStore, openProject } from '../project.ts'
import { readStoreChoice, storeOpener, type StoreChoice } from '../store-choice.ts'

/** Copies threads into another store, under their ids and with their questions. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const [verb, ...ids] = invocation.args
  if (verb !== 'copy') {
    const problem = verb === undefined ? 'What is to be done?' : `"${verb}" can't be done.`
    throw new HexagonError('E1005', `${problem} Usage: hexagon store copy --to <store>`, {
      hint: 'hexagon store --help',
    })
  }
  const { from, to } = await openEnds(invocation)
  try {
    const found = ids.length > 0 ? await headsOf(ids, from) : await collectPages(allOf(from))
    assertNobodyRuns(found.items)
    return report(await copyAll(found.items, from, to), found, invocation)
  } finally {
    await from.close()
    await to.close()
  }
}

interface Copied {
  readonly copied: readonly ThreadHead[]
  /** Those whose ids the other store has already. */
  readonly skipped: readonly ThreadHead[]
}

async function openEnds(invocation: Invocation): Promise<{ from: Store; to: Store }> {
  const { options, settings } = invocation
  const toText = options.text('to')
  if (toText === undefined) {
    throw new HexagonError('E1005', 'Where to? Usage: hexagon store copy --to <store>', {
      hint: 'For example: --to sqlite:threads.db',
    })
  }
  const fromText = options.text('from')
  const source = await openProject({
    settings: fromText === undefined ? settings : { ...settings, store: fromText },
  })
  assertStore(source)
  const target = readStoreChoice(toText, source.base)
  assertDifferent(source.store, target)
  return { from: source.openStore(), to: (await storeOpener(target))() }
}

function assertDifferent(from: StoreChoice, to: StoreChoice): void {
  if (from.path !== to.path || !existsSync(to.path)) return
  throw new HexagonError('E1006', `--from and --to are the same place: ${to.path}`, {
    hint: 'Give another place to --to.',
  })
}

function allOf(store: Store): (after: { readonly after?: string }) => ReturnType<Store['threads']> {
  return (after) => store.threads(after)
}

async function headsOf(ids: readonly string[], from: Store): Promise<Collected<ThreadHead>> {
  const items: ThreadHead[] = []
  for (const id of ids) items.push((await loaded(id, from)).head)
  return { items, damaged: [] }
}

async function loaded(id: string, from: Store): Promise<StoredThread> {
  const thread = await from.load(id)
  if (thread === undefined) throw new UnknownThreadError(id)
  return thread
}

/** What is running changes while it is copied. */
function assertNobodyRuns(heads: readonly ThreadHead[]): void {
  for (const { id, lease } of heads) {
    if (lease?.alive === true) throw new ThreadLockedError(id, lease.holder)
  }
}

async function copyAll(heads: readonly ThreadHead[], from: Store, to: Store): Promise<Copied> {
  const copied: ThreadHead[] = []
  const skipped: ThreadHead[] = []
  for (const head of heads) {
    const isThere = (await to.load(head.id)) !== undefined
    if (!isThere) await copy(head.id, from, to)
    ;(isThere ? skipped : copied).push(head)
  }
  return { copied, skipped }
}

async function copy(id: string, from: Store, to: Store): Promise<void> {
  const { head, records, interrupts } = await loaded(id, from)
  const { flow, meta, wake } = head
  const events = (await from.events(id)).map(({ body }) => body)
  // Whoever ran it is gone; there it is to be run again.
  const status = head.status === 'running' ? 'ready' : head.status
  const thread = { id, flow, meta, wake, status, records: [...records], events, interrupts }
  try {
    await placeThread(to, thread, 'copied')
  } catch (error) {
    // Half a thread would be taken for the whole the next time.
    await to.delete(id).catch(() => false)
    throw error
  }
}

function report(
  { copied, skipped }: Copied,
  { damaged }: Collected<ThreadHead>,
  invocation: Invocation,
): CommandResult {
  const { terminal, settings } = invocation
  const { err, symbols } = terminal
  warnDamaged(damaged, invocation)
  for (const { id } of skipped) {
    terminal.stderr(`${err.paint.yellow(symbols.warn)} ${id} exists there and was not copied`)
  }
  if (!settings.quiet) {
    const count = copied.length === 1 ? '1 thread' : `${copied.length} threads`
    terminal.stderr(`${err.paint.green(symbols.ok)} Copied ${count}`)
  }
  return {
    exitCode: codeOf(skipped.length, damaged.length),
    document: {
      threads: copied.map(({ id, flow, status }) => ({ id, flow, status })),
      skipped: skipped.map(({ id }) => id),
      ...damageJson(damaged),
    },
  }
}

function codeOf(skipped: number, damaged: number): ExitCode {
  if (damaged > 0) return exitCode.damaged
  return skipped > 0 ? exitCode.busy : exitCode.ok
}
