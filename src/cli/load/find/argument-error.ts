import { HexagonError } from '../../../core/errors.ts'
import { nearest } from '../../../core/nearest.ts'
import { nameIn } from './flow-file.ts'
import type { ListedFlow } from './flow-list.ts'

const MADE_BY = 'hexagon init makes one, or give a file: hexagon run <file>'

/** What can be wrong with a flow argument before anything is loaded. */
export const argumentErrors = {
  notFound(
    { argument, root, flowsDir = 'flows' }: Asked,
    flows: readonly ListedFlow[],
  ): HexagonError {
    const looked = `Looked for ./${argument}, ${flowsDir}/${argument} with .ts, .mts, .cts, .js, .mjs, .cjs or /index, and a flow with that name`
    const near = nearest(
      argument,
      flows.flatMap(({ name, path }) => [name, path]),
    )
    return new HexagonError('E1101', `No flow "${argument}". ${looked}`, {
      hint: near === undefined ? knownFlows(flows) : `Did you mean ${near}?`,
      details: { argument, root, near, flows: flows.map(({ name }) => name) },
    })
  },

  noFlowsFolder(root: string, folder: string): HexagonError {
    return new HexagonError('E1102', `No ${nameIn(root, folder)} directory in ${root}`, {
      hint: MADE_BY,
      details: { root, folder },
    })
  },

  ambiguous(name: string, paths: readonly string[]): HexagonError {
    const [first = '', ...rest] = paths
    const list = rest.length > 1 ? paths.join(', ') : `both ${first} and ${rest.join()}`
    return new HexagonError('E1103', `"${name}" is ${list}`, {
      hint: `Give the file: ${first}`,
      details: { name, paths },
    })
  },

  directory(name: string): HexagonError {
    return new HexagonError('E1104', `${name} is a directory without index.ts`, {
      hint: `Give a file in it, or add ${name}/index.ts.`,
      details: { path: name },
    })
  },

  unreadable(name: string, cause: unknown): HexagonError {
    return new HexagonError('E1105', `Cannot read ${name}: ${reasonOf(cause)}`, {
      hint: `Make it readable: chmod u+r ${name}`,
      cause,
      details: { path: name },
    })
  },

  notAFlowFile(name: string): HexagonError {
    return new HexagonError('E1106', `${name === '-' ? '"-"' : name} is not a flow file`, {
      hint: 'A flow must be a .ts, .mts, .cts, .js, .mjs or .cjs file.',
      details: { path: name },
    })
  },

  questionMark(name: string): HexagonError {
    return new HexagonError(
      'E1117',
      `The path ${name} contains "?", which the TypeScript loader cannot load`,
      { hint: 'Rename the file.', details: { path: name } },
    )
  },
}

/** What was asked for, as the message repeats it. */
interface Asked {
  readonly argument: string
  readonly root: string
  readonly flowsDir?: string | undefined
}

function knownFlows(flows: readonly ListedFlow[]): string {
  if (flows.length === 0) return `There are no flows yet: ${MADE_BY}`
  return `Flows here: ${flows.map(({ name }) => name).join(', ')}`
}

function reasonOf(cause: unknown): string {
  const code: unknown = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : String(code)
}
