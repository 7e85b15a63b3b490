// Builds `dist`: declarations by tsc, JavaScript by esbuild. Everything goes to a folder beside
// it first and is swapped in whole, so a command that runs meanwhile never meets half a build.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { build, type Metafile } from 'esbuild'

import { mergeChunks } from './merge-chunks.ts'
import { noticesOf } from './notices.ts'

type Target = Readonly<Record<string, string>> | string

type Manifest = {
  readonly exports: Readonly<Record<string, Target>>
  readonly imports: Readonly<Record<string, Target>>
}

/** Built-in modules that take as long as 50 kB of our own, and give functions only. */
const SLOW: ReadonlySet<string> = new Set(['node:crypto', 'node:zlib'])

const root = resolve(import.meta.dirname, '..')
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const next = mkdtempSync(join(root, 'dist-'))
try {
  const entries = [...sources(manifest.exports), ...sources(manifest.imports)]
  requireFiles(entries)
  await bundleInto(next, entries)
  const isTyped = declareInto(next)
  swap(next, join(root, 'dist'))
  if (!isTyped) throw new Error('tsc found errors; the JavaScript is built all the same')
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(next, { recursive: true, force: true })
}

/**
 * The library and the command as one bundle: what they share exists once, so a flow that imports
 * `hexagon` gets the modules which run it. Packages are inside, for a start without a walk of
 * node_modules; names stay, for readable stacks.
 */
async function bundleInto(outdir: string, entryPoints: string[]): Promise<void> {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints,
    outbase: join(root, 'src'),
    outdir,
    // As deep as src/cli, so that a file finds package.json the same way in both places.
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['hexagon:source'],
    external: ['tsx', 'tsx/*', 'esbuild', 'libsql'],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
  for (const { path, text } of await mergeChunks(root, bundle)) {
    writeWhole(path, withBuiltins(withRequire(text)))
  }
  writeFileSync(join(outdir, 'NOTICES.txt'), noticesOf(root, bundled(bundle.metafile)))
}

/** CommonJS packages inside an ES module still ask for built-ins by `require`. */
function withRequire(text: string): string {
  return text.includes('typeof require')
    ? `const require=globalThis.process.getBuiltinModule;${text}`
    : text
}

/**
 * Built-in modules without the namespace that `import` makes of them: filling that one reads every export,
 * and so loads what stands behind each, such as all of streams for `node:fs`.
 */
function withBuiltins(text: string): string {
  const form = /(?<=^|[;}\n])import(?:\*as | )?([\w$]+)?(?:,?\{([^{}]*)\})? ?from"(node:[\w/]+)";/gu
  return text.replace(form, (_all, ...[whole, named, module]: (string | undefined)[]) => {
    // Not plain `process`: a module may import that one under its own name.
    const get = `globalThis.process.getBuiltinModule("${module}")`
    if (SLOW.has(module ?? '') && named !== undefined) return lateFunctions(named, get)
    const names = named === undefined ? undefined : `{${named.replaceAll(' as ', ':')}}`
    return [whole, names]
      .filter((target) => target !== undefined)
      .map((target) => `const ${target}=${get};`)
      .join('')
  })
}

/** Functions of a module that is loaded by the first call. */
function lateFunctions(named: string, get: string): string {
  return named
    .split(',')
    .map((one) => one.split(' as '))
    .map(([name, local = name]) => `const ${local}=(...args)=>${get}.${name}(...args);`)
    .join('')
}

function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Writes the declarations, like tsc also those of files with errors; false when there were any. */
function declareInto(outdir: string): boolean {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', outdir]
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}

/** The source file of each entry; `./package.json` has none. */
function sources(targets: Readonly<Record<string, Target>>): string[] {
  return Object.values(targets).flatMap((target) => {
    const source = typeof target === 'string' ? undefined : target['hexagon:source']
    return source === undefined ? [] : [source]
  })
}

/** The files that left code in the bundle; what was shaken out needs no notice. */
function bundled(metafile: Metafile): string[] {
  return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
}

function requireFiles(files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(join(root, file)))
  if (missing.length === 0) return
  throw new Error(`package.json names entries that do not exist: ${missing.join(', ')}`)
}

function swap(from: string, to: string): void {
  const old = `${from}-old`
  chmodSync(from, 0o755)
  if (existsSync(to)) renameSync(to, old)
  renameSync(from, to)
  rmSync(old, { recursive: true, force: true })
}
