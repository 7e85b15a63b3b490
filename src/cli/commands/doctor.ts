import { join } from 'node:path'

import { isHexagonError } from '../../core/errors.ts'
import { checkJson, type Check } from '../doctor/check.ts'
import { checkLibrary, checkNode, checkTerminal } from '../doctor/environment-check.ts'
import { checkStore } from '../doctor/store-check.ts'
import { exitCode } from '../exit-code.ts'
import type { CommandResult, Invocation } from '../invocation.ts'
import { printList } from '../list.ts'
import { findRoot } from '../load/find/project-root.ts'
import { openProject } from '../project.ts'
import { renderChecks } from '../render/checks.ts'
import { outViewOf } from '../render/view.ts'
import type { StoreChoice } from '../store-choice.ts'

/** Says what is wrong with this machine, project and store; with `--fix` repairs the store. */
export async function execute(invocation: Invocation): Promise<CommandResult> {
  const { options, output, terminal, settings } = invocation
  const place = await placeOf(invocation)
  const checks = [
    checkNode(),
    checkLibrary(place.root),
    ...place.checks,
    ...(await checkStore(place.store, options.flag('fix'))),
    checkTerminal(terminal),
  ]
  const problems = checks.filter(({ state }) => state === 'problem')
  if (output.format === 'human') {
    await printList(renderChecks(checks, outViewOf(terminal)), invocation)
    if (!settings.quiet) terminal.stderr(`\n${verdictOf(problems)}`)
  }
  return {
    exitCode: problems.length > 0 ? exitCode.failed : exitCode.ok,
    document: { checks: checks.map(checkJson), problems: problems.length },
  }
}

interface Place {
  readonly root: string
  readonly store: StoreChoice
  readonly checks: readonly Check[]
}

/** A configuration that can't be read is a finding, not the end. */
async function placeOf(invocation: Invocation): Promise<Place> {
  try {
    const { root, store } = await openProject(invocation)
    return { root, store, checks: [] }
  } catch (error) {
    if (!isHexagonError(error)) throw error
    const { message, hint } = error
    const root = findRoot({ cwd: process.cwd(), chosen: invocation.settings.cwd })
    const check: Check = { area: 'config', state: 'problem', text: message }
    return {
      root,
      store: { kind: 'file', path: join(root, '.hexagon') },
      checks: [hint === undefined ? check : { ...check, hint }],
    }
  }
}

function verdictOf(problems: readonly Check[]): string {
  if (problems.length === 0) return 'All is well.'
  const count = problems.length === 1 ? '1 problem.' : `${problems.length} problems.`
  const isFixable = problems.some((check) => check.isFixable === true)
  return isFixable ? `${count} Repair: hexagon doctor --fix` : count
}
