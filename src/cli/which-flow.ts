import { HexagonError } from '../core/errors.ts'
import type { Invocation } from './invocation.ts'
import { listFlows } from './load/find/flow-list.ts'
import { findRoot } from './load/find/project-root.ts'

/** The error for a command that was not told which flow. */
export function whichFlow({ command, settings }: Invocation): HexagonError {
  const names = listFlows({ root: findRoot({ cwd: process.cwd(), chosen: settings.cwd }) }).map(
    ({ name }) => name,
  )
  const known =
    names.length === 0 ? 'No flows in flows/, try: hexagon init' : `Flows here: ${names.join(', ')}`
  return new HexagonError('E1003', `Which flow? Usage: hexagon ${command} <flow>`, {
    hint: known,
    details: { flows: names },
  })
}
