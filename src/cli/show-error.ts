import { HexagonError, isHexagonError, messageOf } from '../core/errors.ts'
import { renderError } from './render/error.ts'
import type { Settings } from './settings.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Writes an error to stderr: what happened, then what to do. A fault of ours comes with its stack. */
export function showError(error: unknown, { verbosity }: Settings, terminal: Terminal): void {
  const detail = { verbosity: isHexagonError(error) ? verbosity : 2 } as const
  for (const line of renderError(named(error), detail, terminal)) terminal.stderr(line)
}

function named(error: unknown): unknown {
  if (isHexagonError(error)) return error
  return new HexagonError('E1499', `Internal error: ${messageOf(error)}`, {
    hint: 'This is a fault of hexagon. Report it with the lines below; they hold no values of yours.',
    cause: error,
  })
}
