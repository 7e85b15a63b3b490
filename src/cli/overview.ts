import { openLists } from './lists.ts'
import { allPending } from './page-walk.ts'
import { findProject } from './project.ts'
import type { Settings } from './settings.ts'

/** What `hexagon` alone says: what it is for, and how things stand here. */
export async function overview(settings: Settings, version: string): Promise<string> {
  const waiting = await countWaiting(settings)
  const example = waiting.first ?? '7f3k'
  const count = waiting.count === 0 ? '' : `   (${waiting.count} waiting)`
  return [
    `hexagon ${version}: run and resume agent graphs with a human in the loop`,
    '',
    '  hexagon run flows/deploy.ts      start a flow',
    `  hexagon pending                  what waits for an answer${count}`,
    `  hexagon resume ${example.padEnd(18)}answer and continue`,
    '',
    'Run `hexagon --help` for all commands.',
    '',
  ].join('\n')
}

async function countWaiting(
  settings: Settings,
): Promise<{ readonly count: number; readonly first?: string }> {
  const project = await findProject({ settings })
  if (!project.hasStore) return { count: 0 }
  const waiting = (await allPending(openLists(project.store))).filter(
    ({ interrupts }) => interrupts.length > 0,
  )
  const [first] = waiting
  return { count: waiting.length, ...(first === undefined ? {} : { first: first.threadId }) }
}
