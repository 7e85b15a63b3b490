import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

import { upward } from '../load/find/project-root.ts'
import { isSameMajor, libraryVersion, ownLibrary } from '../load/library.ts'
import { describeWhyNot } from '../terminal/interactivity.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Check } from './check.ts'

const LEAST_NODE = [20, 19] as const
const COLORS = ['no colours', '16 colours', '256 colours', 'all colours'] as const

/** Whether this Node.js is new enough. */
export function checkNode(version: string = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = LEAST_NODE
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const text = `Node.js ${version}`
  if (isEnough) return { area: 'node', state: 'ok', text }
  const hint = `hexagon needs Node.js ${LEAST_NODE.join('.')} or newer.`
  return { area: 'node', state: 'problem', text, hint }
}

/** Which copies of the library this command and the project's flows use. */
export function checkLibrary(root: string): Check {
  const own = ownLibrary()
  const copy = projectCopy(root)
  const area = 'library'
  const text = `hexagon ${own.version} (${own.root})`
  if (copy === undefined || realpathSync(copy) === realpathSync(own.root)) {
    return { area, state: 'ok', text: `${text}; flows use the same copy` }
  }
  const version = libraryVersion(join(copy, 'package.json')) ?? 'of no version'
  const both = `${text}; flows use ${version} (${copy})`
  if (version === own.version) return { area, state: 'ok', text: both }
  const hint = `Use the project's own command: npx hexagon`
  return { area, state: isSameMajor(version) ? 'note' : 'problem', text: both, hint }
}

/** What the terminal can do, and whether anybody can be asked at it. */
export function checkTerminal(terminal: Terminal): Check {
  const { interactive, whyNot, err, symbols, plain } = terminal
  const asks = interactive
    ? 'questions are asked'
    : `nobody is asked${whyNot === undefined ? '' : `: ${describeWhyNot(whyNot)}`}`
  const abilities = [
    asks,
    COLORS[err.paint.level],
    symbols.kind === 'unicode' ? 'Unicode' : 'ASCII',
    ...(err.isTTY ? [`${err.columns} columns, ${err.rows} rows`] : []),
    ...(plain ? ['plain prompts'] : []),
  ]
  return { area: 'terminal', state: 'ok', text: `Terminal: ${abilities.join('; ')}` }
}

function projectCopy(root: string): string | undefined {
  return upward(root)
    .map((folder) => join(folder, 'node_modules', 'hexagon'))
    .find((folder) => existsSync(join(folder, 'package.json')))
}
