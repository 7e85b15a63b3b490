import { ThreadReader } from '../runner/thread-reader.ts'
import { assertStore, type Project } from './project.ts'

/** A reader of the project's threads. It comes without the engine, which takes longer to load than to read. */
export function openReader(project: Project): ThreadReader {
  return new ThreadReader({ store: project.openStore() })
}

/** {@link openReader} where something was saved. @throws HexagonError E1316 */
export function openExisting(project: Project): ThreadReader {
  assertStore(project)
  return openReader(project)
}
