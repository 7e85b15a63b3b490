import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { BuildFailure, BuildOptions, Loader, Message } from 'esbuild'

import { nameIn } from '../find/flow-file.ts'
import { loadErrors } from '../load-error.ts'
import type { Compiler } from './esbuild.ts'
import type { ModuleType } from './package-scope.ts'
import type { Tsconfig } from './tsconfig.ts'

/** One local file as it is read. */
export interface Source {
  readonly file: string
  readonly text: string
  readonly type: ModuleType
}

/** A file as JavaScript, its imports still as they were written. */
export interface Script {
  readonly code: string
  /** Where each part of the code comes from, as JSON. */
  readonly map: string
}

/** What all files of one flow are compiled with. */
export interface CompileOptions {
  readonly compiler: Compiler
  readonly root: string
  readonly tsconfig: Tsconfig | undefined
}

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
  '.json': 'json',
}

/** Options of both passes over a file: what tsx asks of esbuild. */
export const PASS = {
  write: false,
  platform: 'node',
  target: `node${process.versions.node}`,
  charset: 'utf8',
  keepNames: true,
  minifyWhitespace: true,
  treeShaking: false,
  logLevel: 'silent',
  outdir: '/',
} as const satisfies BuildOptions

/**
 * Takes the types out of a file. Where the file stands is written into the code, because the code will
 * run from another place.
 *
 * @throws HexagonError E1107
 */
export async function compileSource(source: Source, options: CompileOptions): Promise<Script> {
  const { file, text } = source
  const loader = LOADERS[extname(file)] ?? 'js'
  try {
    const { outputFiles } = await options.compiler.build({
      ...PASS,
      stdin: { contents: text, sourcefile: file, resolveDir: dirname(file), loader },
      // Only a bundle gives the keys of JSON as exports of their own. Without a format, CommonJS stays what it is.
      ...(loader === 'json' ? { bundle: true, format: 'esm' } : {}),
      sourcemap: 'external',
      sourcesContent: false,
      define: placeOf(source),
      ...(options.tsconfig === undefined
        ? { tsconfigRaw: '{}' }
        : { tsconfig: options.tsconfig.path }),
    })
    const [map, code] = ['.map', '.js'].map((end) =>
      outputFiles.find(({ path }) => path.endsWith(end)),
    )
    return { code: code?.text ?? '', map: withSource(map?.text ?? '{}', file) }
  } catch (error) {
    throw syntaxError(error, source, options.root)
  }
}

function placeOf({ file, type }: Source): Record<string, string> {
  const name = JSON.stringify(file)
  const folder = JSON.stringify(dirname(file))
  return {
    'import.meta.url': JSON.stringify(pathToFileURL(file).href),
    'import.meta.filename': name,
    'import.meta.dirname': folder,
    ...(type === 'commonjs' ? { __filename: name, __dirname: folder } : {}),
  }
}

function withSource(map: string, file: string): string {
  const { sourceRoot: _, ...parsed }: Record<string, unknown> = JSON.parse(map)
  return JSON.stringify({ ...parsed, sources: [pathToFileURL(file).href] })
}

function syntaxError(error: unknown, source: Source, root: string): unknown {
  const [message] = isFailure(error) ? error.errors : []
  if (message === undefined) return error
  const { location, text } = message
  // A fault in tsconfig.json comes without its text; the line is then all there is to show.
  const isOwn =
    location === null || location.file.endsWith('.json') === source.file.endsWith('.json')
  return loadErrors.syntax({
    path: isOwn ? nameIn(root, source.file) : nameIn(root, location.file),
    problem: text,
    source: isOwn ? source.text : location.lineText,
    line: isOwn ? (location?.line ?? 1) : 1,
    column: columnOf(location),
  })
}

function isFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}

/** esbuild counts bytes from 0. */
function columnOf(location: Message['location']): number {
  if (location === null) return 1
  const before = Buffer.from(location.lineText).subarray(0, location.column)
  return before.toString('utf8').length + 1
}
