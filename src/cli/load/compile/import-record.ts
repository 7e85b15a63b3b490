import { dirname } from 'node:path'

import type { Metafile, OnResolveArgs, PartialMessage, PluginBuild } from 'esbuild'

import type { Compiler } from './esbuild.ts'
import { PASS } from './source.ts'

/** How a module is asked for. */
export type ImportKind = 'static' | 'dynamic' | 'require'

/** One import as it stands in the code; the same one may stand there twice. */
export interface ImportRecord {
  readonly specifier: string
  readonly kind: ImportKind
  /** What `with` asks for, if it does. */
  readonly attribute: string | undefined
}

/** What a compiled file asks of the module system. */
export interface Reading {
  readonly records: readonly ImportRecord[]
  /** Has imports or exports of an ES module. */
  readonly isModule: boolean
  /** Uses `require`, `module` or `exports`. */
  readonly isCommonJs: boolean
  /** Asks for something that only shows when it runs: a computed import, `import.meta.resolve`. */
  readonly isOpaque: boolean
}

/** Finds a package's file with esbuild's resolver; undefined when there is none. */
export type FindPackage = (specifier: string, kind: ImportKind) => Promise<string | undefined>

/** Told of each import once, while a package's file can be asked for. */
export type OnImport = (record: ImportRecord, find: FindPackage) => Promise<void>

/** JavaScript, and where it stands. */
export interface Code {
  readonly file: string
  readonly code: string
  /** Conditions of package exports, besides those every import has. */
  readonly conditions: readonly string[]
}

const COMMONJS = '__hexagon_commonjs__'
/** What esbuild calls an import whose name is only known when it runs, and a `require` that is handed on. */
const COMPUTED = 'unsupported-dynamic-import'
const INDIRECT = 'indirect-require'
const OPAQUE = /\bimport\.meta\b|\bcreateRequire\b|\b__glob\b/u
const OURS = Symbol('asked by us')

const KINDS: Readonly<Record<string, ImportKind>> = {
  'import-statement': 'static',
  'dynamic-import': 'dynamic',
  'require-call': 'require',
  'require-resolve': 'require',
}

/** Reads what a compiled file imports, and whether it can run as an ES module from another place. */
export async function readImports(
  compiler: Compiler,
  code: Code,
  onImport: OnImport,
): Promise<Reading> {
  try {
    return await analyse(compiler, code, onImport)
  } catch (error) {
    // What the bundler won't take (a pattern of imports, for one) is left to tsx.
    if (!(error instanceof Error && 'errors' in error)) throw error
    return { records: [], isModule: true, isCommonJs: false, isOpaque: true }
  }
}

async function analyse(compiler: Compiler, code: Code, onImport: OnImport): Promise<Reading> {
  const folder = dirname(code.file)
  const failures: unknown[] = []
  const { metafile, outputFiles, warnings } = await compiler.build({
    ...PASS,
    stdin: { contents: code.code, sourcefile: code.file, resolveDir: folder, loader: 'js' },
    bundle: true,
    format: 'esm',
    metafile: true,
    tsconfigRaw: '{}',
    conditions: [...code.conditions],
    mainFields: ['main'],
    define: { module: COMMONJS, exports: COMMONJS },
    logOverride: { [COMPUTED]: 'warning', [INDIRECT]: 'warning' },
    plugins: [
      {
        name: 'imports',
        setup: (build) => {
          build.onResolve({ filter: /(?:)/ }, async (args) => {
            if (args.pluginData === OURS || args.kind === 'entry-point') return undefined
            // An error in here would come back as a message without its class.
            await onImport(recordOf(args), finder(build, folder)).catch((error) =>
              failures.push(error),
            )
            return { path: args.path, external: true }
          })
        },
      },
    ],
  })
  if (failures.length > 0) throw failures[0]
  return readingOf(metafile, outputFiles[0]?.text ?? '', warnings)
}

function readingOf(
  metafile: Metafile,
  output: string,
  warnings: readonly PartialMessage[],
): Reading {
  const [input] = Object.values(metafile.inputs)
  const [{ exports } = { exports: [] }] = Object.values(metafile.outputs)
  const records = recordsOf(input?.imports ?? [])
  const kinds = new Set(records.map(({ kind }) => kind))
  const warned = new Set(warnings.map(({ id }) => id))
  const traces = [output.includes(COMMONJS), kinds.has('require'), warned.has(INDIRECT)]
  return {
    records,
    isModule: input?.format === 'esm' && (exports.length > 0 || kinds.has('static')),
    isCommonJs: input?.format === 'cjs' || traces.includes(true),
    isOpaque: warned.has(COMPUTED) || OPAQUE.test(output),
  }
}

function recordsOf(imports: Metafile['inputs'][string]['imports']): ImportRecord[] {
  return imports
    .filter(({ path }) => path !== '<runtime>')
    .map(({ path, kind, with: attributes }) => ({
      specifier: path,
      kind: KINDS[kind] ?? 'static',
      attribute: attributes?.['type'],
    }))
}

function recordOf({ path, kind, with: attributes }: OnResolveArgs): ImportRecord {
  return { specifier: path, kind: KINDS[kind] ?? 'static', attribute: attributes['type'] }
}

function finder(build: PluginBuild, resolveDir: string): FindPackage {
  return async (specifier, kind) => {
    const { path, errors, namespace } = await build.resolve(specifier, {
      resolveDir,
      kind: kind === 'require' ? 'require-call' : 'import-statement',
      pluginData: OURS,
    })
    return errors.length === 0 && namespace === 'file' ? path : undefined
  }
}
