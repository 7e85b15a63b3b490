import type { ThreadRunner } from '../runner/runner.ts'
import { assertStore, type Project } from './project.ts'

/** A runner over the project's store that only reads and answers: it knows no flow. */
export async function openReader(project: Project): Promise<ThreadRunner> {
  const [{ ThreadRunner: Runner }, store] = await Promise.all([
    import('../runner/runner.ts'),
    project.openStore(),
  ])
  return new Runner({ store }, () => {
    throw new Error('unreachable: a reader runs no flow')
  })
}

/** {@link openReader} where something was saved. @throws HexagonError E1316 */
export async function openExisting(project: Project): Promise<ThreadRunner> {
  assertStore(project)
  return openReader(project)
}
