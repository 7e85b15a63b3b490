import { SealedError } from '../../core/errors.ts'
import type { Rekeyed } from '../../stores/sealed/rekeyed.ts'
import { damageJson, warnDamaged } from '../damage.ts'
import { exitCode, type ExitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { assertStore, openProject } from '../project.ts'
import type { StoreChoice } from '../store-choice.ts'

/** Encrypts all threads anew with the key that comes first. @throws SealedError E1322 when no key is given */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const project = await openProject(invocation)
  assertStore(project)
  const { keys } = project.store
  if (keys === undefined) throw new SealedError('E1322', project.store.path, 'has no key to write')
  const done = await rekey(project.store, keys)
  tell(done, invocation)
  return {
    exitCode: codeOf(done),
    document: {
      threads: done.threads.length,
      busy: [...done.busy],
      kept: [...done.kept],
      ...damageJson(done.damaged),
    },
  }
}

async function rekey({ kind, path }: StoreChoice, keys: readonly string[]): Promise<Rekeyed> {
  if (kind === 'sqlite') {
    const { rekeyDatabase } = await import('../../stores/sqlite/rekeying.ts')
    return rekeyDatabase(path, { keys })
  }
  const { rekeyFolder } = await import('../../stores/file/rekeying.ts')
  return rekeyFolder(path, { keys })
}

function tell({ threads, busy, damaged, kept }: Rekeyed, invocation: Invocation): void {
  const { terminal, settings } = invocation
  const { err, symbols } = terminal
  const warn = (text: string): void => terminal.stderr(`${err.paint.yellow(symbols.warn)} ${text}`)
  warnDamaged(damaged, invocation)
  for (const id of busy) warn(`${id} is being run: run this again when it rests`)
  for (const path of kept) warn(`${path} has copies that were not encrypted anew; delete them`)
  if (settings.quiet) return
  const count = threads.length === 1 ? '1 thread' : `${threads.length} threads`
  terminal.stderr(`${err.paint.green(symbols.ok)} Encrypted ${count} with the first key`)
}

function codeOf({ busy, damaged }: Rekeyed): ExitCode {
  if (damaged.length > 0) return exitCode.damaged
  return busy.length > 0 ? exitCode.busy : exitCode.ok
}
