import { statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'

import type { ThreadView } from '../../core/command.ts'
import { HexagonError } from '../../core/errors.ts'

/** The current directory as a thread keeps it: relative to the root, so that a project may move. */
export function recordedDirectory(root: string): string {
  const path = relative(root, process.cwd())
  if (path === '') return '.'
  return path.startsWith('..') || isAbsolute(path) ? process.cwd() : path
}

/** Goes back to where the thread was started. @throws HexagonError E1320 when that is gone */
export function restoreDirectory({ threadId, meta }: ThreadView, root: string): void {
  if (meta.cwd === undefined) return
  const directory = resolve(root, meta.cwd)
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new HexagonError(
      'E1320',
      `Thread "${threadId}" was started in ${directory}, which does not exist any more`,
      {
        hint: 'Create the directory again: the flow may read files relative to it.',
        details: { threadId, directory },
      },
    )
  }
  process.chdir(directory)
}
