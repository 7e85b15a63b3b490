import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build, type BuildOptions } from 'esbuild'

const repository = resolve(import.meta.dirname, '../../../..')

/** A library that only makes what a loader has to recognise, and says which copy made it. */
export function stubLibrary(copy: string): string {
  return `
export const copy = ${JSON.stringify(copy)}
export function graph(name) {
  return {
    [Symbol.for('hexagon.flow')]: { kind: 'graph', version: 1 },
    name: name + '@' + copy,
    describe: () => ({ name, nodes: [], edges: [] }),
    toMermaid: () => '',
  }
}
`
}

/** The files of an installed package with such a library. */
export function stubPackage(copy: string, version = '0.1.0'): Record<string, string> {
  const manifest = {
    name: 'hexagon',
    version,
    type: 'module',
    exports: {
      '.': './dist/index.js',
      './testing': './dist/testing.js',
      './package.json': './package.json',
    },
  }
  return {
    'package.json': JSON.stringify(manifest),
    'dist/index.js': stubLibrary(copy),
    'dist/testing.js': `export const testing = ${JSON.stringify(copy)}\n`,
  }
}

/** What came of a process. */
export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** The last line of standard output, read as JSON. */
  readonly result: Readonly<Record<string, unknown>>
}

/** A command installed for the whole machine, far from any project. */
export interface Command {
  readonly library: string
  /** Loads a flow in a process of its own. */
  load(root: string, argument: string, job?: Readonly<Record<string, unknown>>): Promise<Outcome>
  /** The same, still running. */
  start(root: string, argument: string, job?: Readonly<Record<string, unknown>>): ChildProcess
  remove(): Promise<void>
}

/** Builds the driver as the command is built, and installs it beside a stub of the library. */
export async function installCommand(): Promise<Command> {
  const home = await scratch()
  const library = join(home, 'lib/node_modules/hexagon')
  await writeFiles(library, stubPackage('command'))
  return install(home, 'driver.ts')
}

/** The same with the library as it is. */
export async function installRealCommand(): Promise<Command> {
  const home = await scratch()
  const library = join(home, 'lib/node_modules/hexagon')
  await writeFiles(library, stubPackage('command'))
  await build({
    ...asPublished,
    entryPoints: [join(repository, 'src/index.ts')],
    outfile: join(library, 'dist/index.js'),
  })
  return install(home, 'thread-driver.ts')
}

const asPublished: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  conditions: ['hexagon:source'],
  external: ['tsx', 'tsx/*', 'esbuild', 'libsql'],
}

async function install(home: string, source: string): Promise<Command> {
  const library = join(home, 'lib/node_modules/hexagon')
  const driver = join(library, 'dist/cli/driver.js')
  await writeFiles(join(home, 'lib/node_modules/tsx'), observedTsx())
  await symlink(join(repository, 'node_modules/esbuild'), join(home, 'lib/node_modules/esbuild'))
  await build({
    ...asPublished,
    entryPoints: [join(import.meta.dirname, source)],
    outfile: driver,
    banner: {
      js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);",
    },
  })
  const argumentsFor = (root: string, argument: string, job: object): string[] => [
    driver,
    JSON.stringify({ root, cwd: root, argument, ...job }),
  ]
  return {
    library,
    load: (root, argument, job = {}) => run(argumentsFor(root, argument, job), root),
    start: (root, argument, job = {}) =>
      spawn(process.execPath, argumentsFor(root, argument, job), { cwd: root }),
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

/** The real tsx, which leaves a mark when it is loaded. */
function observedTsx(): Record<string, string> {
  const real = pathToFileURL(join(repository, 'node_modules/tsx/dist/esm/api/index.mjs')).href
  const manifest = {
    name: 'tsx',
    type: 'module',
    exports: { './esm/api': './api.js', './package.json': './package.json' },
  }
  return {
    'package.json': JSON.stringify(manifest),
    'api.js': `export { tsImport } from ${JSON.stringify(real)}\nglobalThis[Symbol.for('test.tsx')] = true\n`,
  }
}

/** A project to load one flow from. */
export interface Case {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** `f` when left out. */
  readonly argument?: string
}

/** What one process made of many projects. */
export interface Start {
  readonly tsx: boolean
  readonly esbuild: boolean
  readonly stderr: string
  readonly byTitle: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** Loads a flow from each project, all of them in one process, `times` times. */
export async function loadAll(
  command: Command,
  cases: readonly Case[],
  times: number,
): Promise<Start[]> {
  const root = await scratch()
  const jobs = cases.map(({ argument = 'f' }, index) => {
    const project = join(root, String(index))
    return { root: project, cwd: project, argument, input: 0 }
  })
  for (const [index, { files }] of cases.entries())
    await writeFiles(join(root, String(index)), files)
  const starts: Start[] = []
  for (let time = 0; time < times; time++)
    starts.push(await startAll(command, cases, { root, jobs }))
  await rm(root, { recursive: true })
  return starts
}

async function startAll(
  command: Command,
  cases: readonly Case[],
  { root, jobs }: { readonly root: string; readonly jobs: readonly object[] },
): Promise<Start> {
  const { result, stderr } = await command.load(root, 'f', { jobs })
  const results: unknown = result['results']
  const list: readonly Readonly<Record<string, unknown>>[] = Array.isArray(results) ? results : []
  return {
    tsx: result['tsx'] === true,
    esbuild: result['esbuild'] === true,
    stderr,
    byTitle: new Map(cases.map(({ title }, index) => [title, list[index] ?? {}])),
  }
}

/** An empty folder, by its real path. */
export async function scratch(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'hexagon-load-')))
}

/** Writes files below a folder; their folders come with them. */
export async function writeFiles(
  root: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

function run(args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd }, (_error, stdout, stderr) => {
      done({ status: child.exitCode, stdout, stderr, result: lastLine(stdout) })
    })
    child.stdin?.end()
  })
}

function lastLine(text: string): Outcome['result'] {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line.startsWith('{') ? JSON.parse(line) : {}
}
