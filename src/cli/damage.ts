import type { JsonObject } from '../core/json.ts'
import type { Damage } from '../core/store.ts'
import type { Invocation } from './invocation.ts'

/** Files that can't be read, for a document; nothing where there are none. */
export function damageJson(damaged: readonly Damage[]): JsonObject {
  if (damaged.length === 0) return {}
  return {
    damaged: damaged.map(({ threadId, file, problem, code }) => ({
      threadId: threadId ?? null,
      file,
      problem,
      ...(code === undefined ? {} : { code }),
    })),
  }
}

/** Names every file that can't be read on stderr. */
export function warnDamaged(damaged: readonly Damage[], { terminal }: Invocation): void {
  const { err, symbols } = terminal
  for (const { file, problem, code = 'E1308' } of damaged) {
    terminal.stderr(`${err.paint.yellow(symbols.warn)} ${file}: ${problem}  [${code}]`)
  }
  if (damaged.some(({ code }) => code === undefined))
    terminal.stderr('  The other threads are listed. Repair: hexagon doctor --fix')
}
