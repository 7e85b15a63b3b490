import { messageOf, ThreadLockedError } from '../../core/errors.ts'
import type { Invocation } from '../invocation.ts'
import type { Project } from '../project.ts'

/** Takes older checkpoints away from a thread that has come to rest, when there is a limit. It never spoils the run. */
export async function keepNewest(
  threadId: string,
  { invocation, project }: { readonly invocation: Invocation; readonly project: Project },
): Promise<void> {
  const keep = invocation.options.number('keep') ?? project.config.retention?.keep
  if (keep === undefined) return
  const store = project.openStore()
  try {
    await store.prune(threadId, keep)
  } catch (error) {
    // Somebody goes on with it already, and will prune it.
    if (error instanceof ThreadLockedError) return
    const { terminal } = invocation
    terminal.stderr(`${terminal.symbols.warn} Old checkpoints were kept: ${messageOf(error)}`)
  } finally {
    await store.close()
  }
}
