import { ThreadRunner } from '../runner/runner.ts'
import { assertStore, type Project } from './project.ts'

/** A runner over the project's threads that closes and deletes them: it knows no flow. @throws HexagonError E1316 */
export function openKeeper(project: Project): ThreadRunner {
  assertStore(project)
  return new ThreadRunner({ store: project.openStore() }, () => {
    throw new Error('unreachable: a keeper runs no flow')
  })
}
