// What can be wrong with a flow file: errors E1107 to E1113.

import { HexagonError } from '../../core/errors.ts'
import { codeFrame, type SourcePlace } from './code-frame.ts'

/** Where and why a file does not compile. */
export interface SyntaxFault extends SourcePlace {
  /** As messages name the file. */
  readonly path: string
  readonly problem: string
  readonly source: string
}

/** An import that leads nowhere. */
export interface MissingImport {
  readonly specifier: string
  /** The importing file, as messages name it. */
  readonly importer: string
}

/** What a module exports, by name. */
export interface ModuleExports {
  readonly names: readonly string[]
  /** Those that are flows. */
  readonly flows: readonly string[]
}

/** Two copies of the library that can't work together. */
export interface LibraryVersions {
  readonly flow: string
  readonly command: string
}

/** The errors of loading, each with what to do next. */
export const loadErrors = {
  /** `details.frame` holds the place and the lines around it, ready to print. */
  syntax(fault: SyntaxFault): HexagonError {
    const { path, line, column, problem, source } = fault
    const place = `${path}:${line}:${column}`
    return new HexagonError('E1107', `${path} does not compile. ${place}  ${problem}`, {
      details: {
        file: path,
        line,
        column,
        problem,
        summary: `${path} does not compile.`,
        frame: `${place}  ${problem}\n${codeFrame(source, fault)}`,
      },
    })
  },

  topLevelAwait(path: string, cause?: unknown): HexagonError {
    const renamed = path.replace(/\.c?([jt]s)$/u, '.m$1')
    return new HexagonError('E1108', `${path} uses top-level await in a CommonJS module`, {
      hint: `Rename it to ${renamed}, or add "type":"module" to package.json (or to a package.json beside it).`,
      cause,
      details: { file: path },
    })
  },

  missing({ specifier, importer }: MissingImport, cause?: unknown): HexagonError {
    const details = { specifier, importer }
    if (isPath(specifier)) {
      const twin = specifier.replace(/\.([mc]?)js$/u, '.$1ts')
      const nor = twin === specifier ? '' : ` (nor ${twin.slice(twin.lastIndexOf('/') + 1)})`
      return new HexagonError(
        'E1109',
        `${importer} imports "${specifier}", which does not exist${nor}`,
        {
          hint: 'Correct the path, or add the file.',
          cause,
          details,
        },
      )
    }
    const name = packageNameOf(specifier)
    return new HexagonError(
      'E1109',
      `Package "${name}" is not installed (imported by ${importer})`,
      {
        hint: `npm install ${name}`,
        cause,
        details,
      },
    )
  },

  /** The package is there, but not what is imported from it. */
  notExported({ specifier, importer }: MissingImport, cause?: unknown): HexagonError {
    return new HexagonError(
      'E1109',
      `${importer} imports "${specifier}", which its package does not offer`,
      {
        hint: `See "exports" in the package.json of ${packageNameOf(specifier)}.`,
        cause,
        details: { specifier, importer },
      },
    )
  },

  missingExport(
    name: string,
    { specifier, importer }: MissingImport,
    cause: unknown,
  ): HexagonError {
    return new HexagonError(
      'E1110',
      `"${specifier}" has no export "${name}" (imported by ${importer})`,
      {
        hint: `Export ${name} there, or correct the import. A type needs import type.`,
        cause,
        details: { name, specifier, importer },
      },
    )
  },

  noFlow(path: string, wanted: string, exports: ModuleExports): HexagonError {
    const what = wanted === 'default' ? 'default export' : `export "${wanted}"`
    const others = exports.names.filter((name) => name !== 'default')
    const flow = exports.flows.find((name) => name !== 'default')
    const list = others.length === 0 ? 'none' : others.join(', ')
    return new HexagonError('E1111', `${path} has no ${what} that is a flow. Exports: ${list}`, {
      hint:
        flow === undefined
          ? "Add one: export default graph('name', …), or an async function."
          : `Use ${path}#${flow}`,
      details: { file: path, wanted, exports: exports.names },
    })
  },

  otherMajor({ flow, command }: LibraryVersions): HexagonError {
    return new HexagonError('E1112', `The flow uses hexagon ${flow}, the command is ${command}`, {
      hint: 'Use the one of the project: npx hexagon',
      details: { flow, command },
    })
  },

  /** The same, when only the flow's own mark tells. */
  otherFormat(name: string, format: number): HexagonError {
    return new HexagonError(
      'E1112',
      `The flow "${name}" was made by another major version of hexagon (format ${format})`,
      {
        hint: 'Use the one of the project: npx hexagon',
        details: { name, format },
      },
    )
  },

  threw(
    path: string,
    thrown: unknown,
    more: { place?: string | undefined; hint?: string | undefined },
  ): HexagonError {
    const place = more.place === undefined ? '' : ` (${more.place})`
    return new HexagonError('E1113', `${path} failed while loading: ${describe(thrown)}${place}`, {
      hint: more.hint,
      cause: thrown,
      details: { file: path, place: more.place },
    })
  },
}

/** True for what is looked for by path, not by a package's name. */
export function isPath(specifier: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$|file:|[A-Za-z]:[\\/])/u.test(specifier)
}

/** The package that a specifier names, without what lies inside it. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function describe(thrown: unknown): string {
  if (thrown instanceof Error) {
    return thrown.name === 'Error' ? thrown.message : `${thrown.name}: ${thrown.message}`
  }
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? String(thrown.message)
    : String(thrown)
}
