import { existsSync } from 'node:fs'

import {
  DamagedError,
  HexagonError,
  NewerFormatError,
  ThreadExistsError,
  ThreadLockedError,
  UnknownThreadError,
} from '../../core/errors.ts'
import type { Damage, Store, ThreadHead } from '../../core/store.ts'
import type { Archive } from '../../stores/archive.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { collectPages } from '../page-walk.ts'
import { assertStore, openProject } from '../project.ts'
import { archiveOf, readStoreChoice, type StoreChoice } from '../store-choice.ts'

/** Copies threads with all their past into another store, under their ids; or encrypts them anew. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const [verb, ...ids] = invocation.args
  if (verb === 'rekey') return (await import('./rekey.ts')).execute(invocation)
  if (verb !== 'copy') {
    const problem = verb === undefined ? 'What is to be done?' : `"${verb}" can't be done.`
    throw new HexagonError('E1005', `${problem} Usage: hexagon store copy --to <store>`, {
      hint: 'hexagon store --help',
    })
  }
  const { store, from, to } = await openEnds(invocation)
  try {
    const found = ids.length > 0 ? { ids, damaged: [] } : await idsIn(store)
    return report(await copyAll(found, from, to), invocation)
  } finally {
    await Promise.all([store, from, to].map((end) => end.close()))
  }
}

interface Found {
  readonly ids: readonly string[]
  readonly damaged: readonly Damage[]
}

interface Copied {
  readonly copied: Pick<ThreadHead, 'id' | 'flow' | 'status'>[]
  /** Those that the other store has already, with the same past. */
  readonly unchanged: string[]
  /** Those whose ids the other store has for others, or that went on there or here. */
  readonly skipped: string[]
  readonly damaged: Damage[]
}

async function openEnds(
  invocation: Invocation,
): Promise<{ readonly store: Store; readonly from: Archive; readonly to: Archive }> {
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
  const target = { ...readStoreChoice(toText, source.base), keys: source.store.keys }
  assertDifferent(source.store, target)
  const [from, to] = [await archiveOf(source.store), await archiveOf(target)]
  return { store: source.openStore(), from, to }
}

function assertDifferent(from: StoreChoice, to: StoreChoice): void {
  if (from.path !== to.path || !existsSync(to.path)) return
  throw new HexagonError('E1006', `--from and --to are the same place: ${to.path}`, {
    hint: 'Give another place to --to.',
  })
}

/** Every thread of a store. What is running changes while it is copied: then nothing is. @throws ThreadLockedError */
async function idsIn(store: Store): Promise<Found> {
  const { items, damaged } = await collectPages((after) => store.threads(after))
  for (const { id, lease } of items) {
    if (lease?.alive === true) throw new ThreadLockedError(id, lease.holder)
  }
  return { ids: items.map(({ id }) => id), damaged }
}

/** One after the other; what can't be read is told, and keeps no other from being copied. */
async function copyAll(found: Found, from: Archive, to: Archive): Promise<Copied> {
  const copied: Copied = { copied: [], unchanged: [], skipped: [], damaged: [...found.damaged] }
  for (const id of found.ids) {
    try {
      await copy(id, { from, to, copied })
    } catch (error) {
      copied.damaged.push(damageIn(id, error))
    }
  }
  return copied
}

async function copy(
  id: string,
  { from, to, copied }: { from: Archive; to: Archive; copied: Copied },
): Promise<void> {
  const thread = await from.read(id)
  if (thread === undefined) throw new UnknownThreadError(id)
  const { flow, status } = thread.state
  try {
    if ((await to.write(thread)) === 'same') copied.unchanged.push(id)
    else copied.copied.push({ id, flow, status })
  } catch (error) {
    if (!(error instanceof ThreadExistsError)) throw error
    copied.skipped.push(id)
  }
}

function damageIn(threadId: string, error: unknown): Damage {
  if (!(error instanceof DamagedError || error instanceof NewerFormatError)) throw error
  const { file, problem = error.message } = error.details
  return { threadId, file: String(file), problem: String(problem) }
}

function report(
  { copied, unchanged, skipped, damaged }: Copied,
  invocation: Invocation,
): CommandResult {
  const { terminal, settings } = invocation
  const { err, symbols } = terminal
  warnDamaged(damaged, invocation)
  for (const id of skipped) {
    terminal.stderr(`${err.paint.yellow(symbols.warn)} ${id} exists there and was not copied`)
  }
  if (!settings.quiet) {
    const count = copied.length === 1 ? '1 thread' : `${copied.length} threads`
    const rest = unchanged.length === 0 ? '' : `; ${unchanged.length} were there already`
    terminal.stderr(`${err.paint.green(symbols.ok)} Copied ${count}${rest}`)
  }
  return {
    exitCode: codeOf(skipped.length, damaged.length),
    document: { threads: copied, unchanged, skipped, ...damageJson(damaged) },
  }
}

function codeOf(skipped: number, damaged: number): ExitCode {
  if (damaged > 0) return exitCode.damaged
  return skipped > 0 ? exitCode.busy : exitCode.ok
}
