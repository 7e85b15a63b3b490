import { HexagonError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { commands } from '../spec/catalog.ts'
import { commandHelp, overviewHelp } from './command-help.ts'
import { topics } from './topics.ts'

/** The help of a command, of a topic, or of everything. @throws HexagonError E1001 */
export function helpText(topic: string | undefined, version: string): string {
  if (topic === undefined) return overviewHelp(version)
  const spec = commands.find(({ name, alias }) => name === topic || alias === topic)
  if (spec !== undefined) return commandHelp(spec)
  const found = topics.find(({ name }) => name === topic)
  if (found !== undefined) return found.text()
  const names = [...commands, ...topics].map(({ name }) => name)
  const near = nearest(topic, names)
  throw new HexagonError('E1001', `There is no help on "${topic}"`, {
    hint: near === undefined ? `Topics: ${names.join(', ')}` : `Did you mean "${near}"?`,
    details: { topic },
  })
}
