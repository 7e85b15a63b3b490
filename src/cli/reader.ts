import { ThreadRunner } from '../runner/runner.ts'
import { assertStore, type Project } from './project.ts'

/** A runner over the project's store that only reads and answers: it knows no flow. */
export function openReader(project: Project): ThreadRunner {
  return new ThreadRunner({ store: project.openStore() }, () => {
    throw new Error('unreachable: a reader runs no flow')
  })
}

/** {@link openReader} where something was saved. @throws HexagonError E1316 */
export function openExisting(project: Project): ThreadRunner {
  assertStore(project)
  return openReader(project)
}
