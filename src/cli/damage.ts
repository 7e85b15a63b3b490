import type { JsonObject } from '../core/json.ts'
import type { Damage } from '../core/store.ts'
import type { Invocation } from './invocation.ts'

/** Files that can't be read, for a document; nothing where there are none. */
export function damageJson(damaged: readonly Damage[]): JsonObject {
  if (damaged.length === 0) return {}
  return {
    damaged: damaged.map(({ threadId, file, problem }) => ({
      threadId: threadId ?? null,
      file,
      problem,
    })),
  }
}

/** Names every file that can't be read on stderr. */
export function warnDamaged(damaged: readonly Damage[], { terminal }: Invocation): void {
  const { err, symbols } = terminal
  for (const { file, problem } of damaged) {
    terminal.stderr(`${err.paint.yellow(symbols.warn)} ${file}: ${problem}  [E1308]`)
  }
  if (damaged.length > 0)
    terminal.stderr('  The other threads are listed. Repair: hexagon doctor --fix')
}
